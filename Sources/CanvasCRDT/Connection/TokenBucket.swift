/// A rate limit. Tokens are added at a steady rate. Unused tokens are kept, up to `capacity`.
public struct TokenBucket: Hashable, Sendable {
  private let perSecond: UInt64
  private let capacityThousandths: UInt64
  /// The tokens, counted in thousandths, so that a millisecond's share is a whole number.
  private var thousandths: UInt64
  private var filledAt: UInt64

  /// An upper bound on the rate and the capacity. A higher rate is no limit in practice, and the bound keeps the
  /// arithmetic from overflowing.
  private static let tokensMax: UInt64 = 1_000_000_000

  /// A full bucket. A rate or a capacity below one counts as one.
  public init(perSecond: UInt64, capacity: UInt64, at milliseconds: UInt64) {
    self.perSecond = min(max(perSecond, 1), TokenBucket.tokensMax)
    capacityThousandths = min(max(capacity, 1), TokenBucket.tokensMax) * 1_000
    thousandths = capacityThousandths
    filledAt = milliseconds
  }

  /// The greatest number of tokens that can ever be taken at once.
  public var capacity: UInt64 { capacityThousandths / 1_000 }

  /// Takes `count` tokens. If the bucket holds fewer than `count`, takes none and returns false.
  public mutating func take(_ count: UInt64, at milliseconds: UInt64) -> Bool {
    fill(at: milliseconds)
    guard count <= capacity, thousandths >= count * 1_000 else { return false }
    thousandths -= count * 1_000
    return true
  }

  /// How long it takes from `milliseconds` until the bucket holds `count` tokens; 0 if it holds enough now. If `count`
  /// exceeds the capacity: how long it takes until the bucket is full.
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

  /// How many thousandths of a token the bucket has at this time. If the clock has gone back, no tokens are added.
  private func thousandths(at milliseconds: UInt64) -> UInt64 {
    guard milliseconds > filledAt else { return thousandths }
    let (gained, overflow) = (milliseconds - filledAt).multipliedReportingOverflow(by: perSecond)
    return overflow || gained >= capacityThousandths - thousandths ? capacityThousandths : thousandths + gained
  }
}
