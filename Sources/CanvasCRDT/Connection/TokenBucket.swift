/// A rate limit: tokens come at a steady pace, and up to `capacity` of them gather while nobody takes any.
public struct TokenBucket: Hashable, Sendable {
  private let perSecond: UInt64
  private let capacityThousandths: UInt64
  /// Tokens are counted in thousandths, so that a millisecond's share is a whole number.
  private var thousandths: UInt64
  private var filledAt: UInt64

  /// A higher rate is no limit in practice, and this bound keeps the arithmetic from overflowing.
  private static let tokensMax: UInt64 = 1_000_000_000

  /// A full bucket. The rate and the capacity are at least one.
  public init(perSecond: UInt64, capacity: UInt64, at milliseconds: UInt64) {
    self.perSecond = min(max(perSecond, 1), TokenBucket.tokensMax)
    capacityThousandths = min(max(capacity, 1), TokenBucket.tokensMax) * 1_000
    thousandths = capacityThousandths
    filledAt = milliseconds
  }

  /// The most that can ever be taken at once.
  public var capacity: UInt64 { capacityThousandths / 1_000 }

  /// Takes `count` tokens, or none if there are fewer.
  public mutating func take(_ count: UInt64, at milliseconds: UInt64) -> Bool {
    fill(at: milliseconds)
    guard count <= capacity, thousandths >= count * 1_000 else { return false }
    thousandths -= count * 1_000
    return true
  }

  /// How long from `milliseconds` until `count` tokens can be taken; 0 if they can be taken now. For a `count` above
  /// the capacity: how long until the bucket is full.
  public func millisecondsUntil(_ count: UInt64, at milliseconds: UInt64) -> UInt64 {
    let wanted = min(count, capacity) * 1_000
    let held = thousandths(at: milliseconds)
    return held >= wanted ? 0 : (wanted - held + perSecond - 1) / perSecond
  }

  public func isFull(at milliseconds: UInt64) -> Bool {
    thousandths(at: milliseconds) == capacityThousandths
  }

  private mutating func fill(at milliseconds: UInt64) {
    guard milliseconds > filledAt else { return }
    thousandths = thousandths(at: milliseconds)
    filledAt = milliseconds
  }

  /// If the clock goes back, no tokens are added.
  private func thousandths(at milliseconds: UInt64) -> UInt64 {
    guard milliseconds > filledAt else { return thousandths }
    let (gained, overflow) = (milliseconds - filledAt).multipliedReportingOverflow(by: perSecond)
    return overflow || gained >= capacityThousandths - thousandths ? capacityThousandths : thousandths + gained
  }
}
