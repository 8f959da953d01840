import CanvasCRDT

/// A rate limit on the presence that a receiver is sent, in bytes a second. The bytes for a fraction of a second may be
/// sent in a burst.
///
/// What always holds: over any longer time, a receiver is sent at most what the rate allows plus one member's presence.
struct PresenceBudget: Sendable {
  private let bytesPerSecond: Int64
  /// The budget left, in thousandths of a byte, so that the share of one millisecond is a whole number. It becomes
  /// negative if a presence is longer than the rest of the budget.
  private var thousandths: Int64
  private var filledAt: UInt64 = 0
  /// Whether the budget was used up. If so, nothing is sent until the budget is enough for the presence of several
  /// members. Otherwise each member's presence would be sent in a message of its own.
  private(set) var isUsedUp = false

  init(limits: Limits) {
    bytesPerSecond = Int64(clamping: min(limits.presenceBytesPerSecond, 1_000_000_000))
    thousandths = bytesPerSecond * 1_000 / PresenceBudget.atOnceDivisor
  }

  /// A burst may have at most the budget of an eighth of a second.
  private static let atOnceDivisor: Int64 = 8
  /// How long nothing is sent after the budget was used up. In this time, the budget becomes enough for the presence of
  /// several members.
  private static let waitMilliseconds: Int64 = 50

  mutating func fill(_ now: Moment) {
    guard now.monotonicMilliseconds > filledAt else { return }
    let passed = Int64(clamping: min(now.monotonicMilliseconds - filledAt, 60_000))
    thousandths = min(thousandths + passed * bytesPerSecond, bytesPerSecond * 1_000 / PresenceBudget.atOnceDivisor)
    filledAt = now.monotonicMilliseconds
    if thousandths >= enough { isUsedUp = false }
  }

  private var enough: Int64 { PresenceBudget.waitMilliseconds * bytesPerSecond }

  mutating func spend(_ state: PeerState) {
    thousandths -= Int64(PresenceBudget.bytes(of: state.state)) * 1_000
    if thousandths <= 0 { isUsedUp = true }
  }

  static func bytes(of state: JSONText) -> Int { state.bytes.count + stateBytes }

  /// The bytes of JSON around one member's presence: the actor, the keys of the JSON object, a comma.
  private static let stateBytes = 33

  /// The time at which the budget is enough for the presence of several members again.
  var nextAt: UInt64 {
    let rate = max(1, bytesPerSecond)
    return filledAt &+ UInt64(max(1, (enough - thousandths + rate - 1) / rate))
  }
}
