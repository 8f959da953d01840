/// The bounds of a WebSocket connection, each with what it protects.
public struct WebSocketOptions: Sendable {
  /// A longer message closes the connection with 1009, as soon as it is known to be longer: memory.
  public var messageBytesMax = 1 << 20
  /// How many bytes of messages that are not finished all connections of a listener may hold. Beyond it the oldest goes, with
  /// `silentCloseCode`: memory.
  public var unfinishedBytesMax = 64 << 20
  /// How long a message may take from its first byte to its last, with `silentCloseCode` after that: the same memory, held by
  /// clients that never finish. While the owner pauses reading, the time stands still.
  public var messageWithinMilliseconds: UInt64 = 60_000
  /// After so long a silence the peer gets a ping: half-open sockets, and proxies that drop quiet connections.
  public var pingAfterMilliseconds: UInt64 = 20_000
  /// How long the peer may then still be silent before the connection is closed.
  public var pongWithinMilliseconds: UInt64 = 10_000
  /// The code that a silent peer's connection is closed with.
  public var silentCloseCode: UInt16 = CloseCode.goingAway
  /// If set, a connection on which no message came for so long is closed with 1001, even if pongs came.
  public var idleMilliseconds: UInt64?
  /// How long a peer may take to answer a close before its socket is dropped.
  public var closeWithinMilliseconds: UInt64 = 2_000
  /// How long a client may take to connect.
  public var connectWithinMilliseconds: UInt64 = 10_000
  /// How many bytes given to `send` may wait for a full socket. `send` refuses more: memory.
  public var waitingBytesMax = 4 << 20
  /// Whether permessage-deflate is agreed to. Then every frame is compressed for each connection by itself, and frames no
  /// longer share one `send()`. That costs CPU for fewer bytes, and pays only on slow links.
  public var compresses = false

  public init() {}
}
