/// The bounds of a WebSocket connection. Each comment names what the bound protects.
public struct WebSocketOptions: Sendable {
  /// The upper bound on a message. A longer one closes the connection with 1009, as soon as it is known to be longer.
  /// Protects memory.
  public var messageBytesMax = 1 << 20
  /// The upper bound on the bytes of unfinished messages over all connections of a listener. When they exceed the
  /// bound, the connection with the oldest unfinished message is closed with `silentCloseCode`. Protects memory.
  public var unfinishedBytesMax = 64 << 20
  /// How long a message may take from its first byte to its last. After that the connection is closed with
  /// `silentCloseCode`. Protects the memory of unfinished messages from clients that never finish. While the owner
  /// pauses reading, the time doesn't count.
  public var messageWithinMilliseconds: UInt64 = 60_000
  /// A peer that has sent nothing for this long gets a ping. The ping finds half-open sockets, and keeps proxies from
  /// closing quiet connections.
  public var pingAfterMilliseconds: UInt64 = 20_000
  /// How long the peer may stay silent after that ping (`pingAfterMilliseconds`) before the connection is closed.
  public var pongWithinMilliseconds: UInt64 = 10_000
  /// The code with which a silent peer's connection is closed.
  public var silentCloseCode: UInt16 = CloseCode.goingAway
  /// If set, a connection without a message for this long is closed with 1001, even if the peer answered pings.
  public var idleMilliseconds: UInt64?
  /// How long a peer may take to answer a close frame before its socket is dropped.
  public var closeWithinMilliseconds: UInt64 = 2_000
  /// How long a client may take to connect.
  public var connectWithinMilliseconds: UInt64 = 10_000
  /// How many bytes that were given to `send` may wait while the socket is full. If more would wait, `send` refuses the
  /// message. Protects memory.
  public var waitingBytesMax = 4 << 20

  public init() {}
}
