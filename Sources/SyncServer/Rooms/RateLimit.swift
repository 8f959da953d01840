/// A token bucket: so many a second on average, and a burst of a few seconds' worth.
struct RateLimit: Hashable, Sendable {
  private let perSecond: UInt64
  private let capacityThousandths: UInt64
  /// In thousandths of a token, so that a millisecond's share is a whole number.
  private var thousandths: UInt64
  private var filledAt: UInt64

  /// Two seconds' worth: a client that keeps the rate may still arrive bunched up by a slow connection.
  private static let burstSeconds: UInt64 = 2

  /// Full. There is always room for `atOnce`, or what may be sent in one message could never pass.
  init(perSecond: UInt64, atOnce: UInt64 = 1, at milliseconds: UInt64) {
    self.perSecond = max(1, min(perSecond, 1_000_000_000))
    capacityThousandths = max(self.perSecond * RateLimit.burstSeconds, min(atOnce, 1_000_000_000)) * 1_000
    thousandths = capacityThousandths
    filledAt = milliseconds
  }

  /// As many as there ever are at once.
  var capacity: UInt64 { capacityThousandths / 1_000 }

  /// Takes so many tokens, or none where there are not as many.
  mutating func take(_ count: UInt64, at milliseconds: UInt64) -> Bool {
    fill(at: milliseconds)
    guard count <= capacity, thousandths >= count * 1_000 else { return false }
    thousandths -= count * 1_000
    return true
  }

  /// Whether as many are there as there can be.
  mutating func isFull(at milliseconds: UInt64) -> Bool {
    fill(at: milliseconds)
    return thousandths == capacityThousandths
  }

  /// How long it takes from the last look until there is one, in milliseconds; 0 where there is.
  var millisecondsToOne: UInt64 {
    guard thousandths < 1_000 else { return 0 }
    return (1_000 - thousandths + perSecond - 1) / perSecond
  }

  private mutating func fill(at milliseconds: UInt64) {
    guard milliseconds > filledAt else { return }
    // A minute fills any bucket; more would only overflow.
    let passed = min(milliseconds - filledAt, 60_000)
    thousandths = min(capacityThousandths, thousandths + passed * perSecond)
    filledAt = milliseconds
  }
}
