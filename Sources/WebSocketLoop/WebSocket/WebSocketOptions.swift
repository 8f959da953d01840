/// The bounds of a WebSocket connection. Each names what it protects.
public struct WebSocketOptions: Sendable {
  /// A longer message closes the connection with 1009, as soon as it is known to be longer. Protects memory.
  public var messageBytesMax = 1 << 20
  /// The most bytes of unfinished messages over all connections of a listener. Beyond it the oldest is dropped, with
  /// `silentCloseCode`. Protects memory.
  public var unfinishedBytesMax = 64 << 20
  /// How long a message may take from its first byte to its last; after that the connection is closed with
  /// `silentCloseCode`. Protects the same memory from clients that never finish. While the owner pauses reading, this
  /// time doesn't count.
  public var messageWithinMilliseconds: UInt64 = 60_000
  /// After this long a silence the peer gets a ping. Protects against half-open sockets, and proxies that drop quiet
  /// connections.
  public var pingAfterMilliseconds: UInt64 = 20_000
  /// For how much longer the peer may be silent before the connection is closed.
  public var pongWithinMilliseconds: UInt64 = 10_000
  /// The code with which a silent peer's connection is closed.
  public var silentCloseCode: UInt16 = CloseCode.goingAway
  /// If set, a connection without a message for this long is closed with 1001, even if pongs came.
  public var idleMilliseconds: UInt64?
  /// How long a peer may take to answer a close before its socket is dropped.
  public var closeWithinMilliseconds: UInt64 = 2_000
  /// How long a client may take to connect.
  public var connectWithinMilliseconds: UInt64 = 10_000
  /// How many bytes given to `send` may wait for a full socket. `send` refuses more. Protects memory.
  public var waitingBytesMax = 4 << 20
  /// Whether permessage-deflate is accepted. Then every frame is compressed for each connection by itself, and frames
  /// no longer share one `send()`. This costs CPU for fewer bytes, and pays only on slow links.
  public var compresses = false

  public init() {}
}
