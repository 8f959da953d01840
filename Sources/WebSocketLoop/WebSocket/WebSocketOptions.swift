/// The bounds of a WebSocket connection, each with what it protects.
public struct WebSocketOptions: Sendable {
  /// A longer message closes the connection with 1009 as soon as it is known to be: memory.
  public var messageBytesMax = 1 << 20
  /// Silence after which the peer is sent a ping: half-open sockets, and proxies that drop quiet connections.
  public var pingAfterMilliseconds: UInt64 = 20_000
  /// How long it may then still be silent before it is closed.
  public var pongWithinMilliseconds: UInt64 = 10_000
  /// The code that it is closed with.
  public var silentCloseCode: UInt16 = CloseCode.goingAway
  /// Where set, a connection on which no message came for so long is closed with 1001, pongs or not.
  public var idleMilliseconds: UInt64?
  /// How long a peer may take to answer a close before its socket is dropped.
  public var closeWithinMilliseconds: UInt64 = 2_000
  /// How long a client may take to connect.
  public var connectWithinMilliseconds: UInt64 = 10_000
  /// How much of what `send` was given may wait for a full socket; beyond it `send` refuses.
  public var waitingBytesMax = 4 << 20
  /// Whether permessage-deflate is agreed to. Then every frame is compressed for every connection on its own, and
  /// frames no longer share one `send()`: it trades CPU for bytes, and pays on slow links only.
  public var compresses = false

  public init() {}
}
