/// Keeps a client under the operations a second that the server allows, rather than running into `rate_limited`.
public struct TokenBucket: Sendable {
  /// Tokens are counted in thousandths, so that a millisecond's share is a whole number.
  private var thousandths: UInt64
  private var filledAt: UInt64
  private let perSecond: UInt64

  /// Larger rates are as good as none, and the arithmetic stays far from its bounds.
  static let perSecondMax: UInt64 = 1_000_000_000

  /// Full: a second's worth.
  public init(perSecond: UInt64, at milliseconds: UInt64) {
    self.perSecond = min(max(perSecond, 1), TokenBucket.perSecondMax)
    thousandths = self.perSecond * 1_000
    filledAt = milliseconds
  }

  /// The most that can ever be taken at once.
  var capacity: Int { Int(clamping: perSecond) }

  /// Takes so many tokens, or says how long it is until there are as many.
  public mutating func take(_ count: Int, at milliseconds: UInt64) -> UInt64? {
    let passed = milliseconds > filledAt ? min(milliseconds - filledAt, 1_000) : 0
    thousandths = min(perSecond * 1_000, thousandths + passed * perSecond)
    filledAt = max(filledAt, milliseconds)
    let wanted = UInt64(min(max(count, 0), capacity)) * 1_000
    if thousandths >= wanted {
      thousandths -= wanted
      return nil
    }
    return (wanted - thousandths + perSecond - 1) / perSecond
  }
}
