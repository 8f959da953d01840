/// The bounds of HTTP, each with what it protects.
public struct HTTPOptions: Sendable {
  /// A longer head is answered with 431: memory.
  public var headBytesMax = 16_384
  public var headersMax = 100
  /// A longer body is answered with 413: memory.
  public var bodyBytesMax = 8 << 20
  /// How much all connections together may hold of bodies and answers. A request that would make it more is answered with
  /// 503: memory.
  public var heldBytesMax = 512 << 20
  /// How long a head may take, from its first byte or from the connection's start: clients that send a byte now and then.
  public var headWithinMilliseconds: UInt64 = 10_000
  /// How long a body may take: the same clients.
  public var bodyWithinMilliseconds: UInt64 = 30_000
  /// How long nothing more of a body may come: clients that stop short.
  public var bodyStallMilliseconds: UInt64 = 10_000
  /// For how long what a client has begun doesn't have to make way for another of the same address.
  public var graceMilliseconds: UInt64 = 1_000
  /// How long the handler may take. After that the answer is 503.
  public var answerWithinMilliseconds: UInt64 = 60_000
  /// How long a client may leave an answer unread.
  public var stallMilliseconds: UInt64 = 30_000
  /// How long a connection may be quiet between requests.
  public var idleMilliseconds: UInt64 = 30_000

  public init() {}
}
