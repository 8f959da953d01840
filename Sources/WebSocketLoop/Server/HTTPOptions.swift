/// Limits for HTTP connections. Each comment names what the limit protects.
public struct HTTPOptions: Sendable {
  /// The upper bound on a head. A longer one is answered with 431. Protects memory.
  public var headBytesMax = 16_384
  public var headersMax = 100
  /// The upper bound on a body, unless the handler allows a longer one. A longer one is answered with 413. Protects memory.
  public var bodyBytesMax = 8 << 20
  /// The upper bound on the bytes of bodies and answers that all connections hold together. A request that would exceed
  /// it is answered with 503. Protects memory.
  public var heldBytesMax = 512 << 20
  /// How long a head may take, from the connection's start or from the first byte of a later head. Protects against
  /// clients that send a byte now and then.
  public var headWithinMilliseconds: UInt64 = 10_000
  /// How long a body may take. Protects against clients that send a byte now and then.
  public var bodyWithinMilliseconds: UInt64 = 30_000
  /// The longest time between two received parts of a body. Protects against clients that stop in the middle.
  public var bodyStallMilliseconds: UInt64 = 10_000
  /// How long an unfinished request is protected from being evicted for a newer request of the same address.
  public var graceMilliseconds: UInt64 = 1_000
  /// How long the handler may take to answer. After that the client gets 503.
  public var answerWithinMilliseconds: UInt64 = 60_000
  /// How long a client may leave an answer unread.
  public var stallMilliseconds: UInt64 = 30_000
  /// How long a connection may send nothing between two requests.
  public var idleMilliseconds: UInt64 = 30_000

  public init() {}
}
