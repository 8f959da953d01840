import CanvasCRDT

/// Bounds the presence that a receiver is sent, in bytes a second. The budget of a fraction of a second may be sent at
/// once.
///
/// What always holds: over any longer time, a receiver is sent at most what the rate allows and one state more.
struct PresenceBudget: Sendable {
  private let bytesPerSecond: Int64
  /// The budget left, in thousandths of a byte, so that a millisecond's share is a whole number. It is below 0 after a
  /// state that was longer than what was left.
  private var thousandths: Int64
  private var filledAt: UInt64 = 0
  /// Whether states wait until the budget is enough for several of them, because it was used up. Otherwise states would
  /// be sent one by one, with beats that are sent for another reason.
  private(set) var isUsedUp = false

  init(limits: Limits) {
    bytesPerSecond = Int64(clamping: min(limits.presenceBytesPerSecond, 1_000_000_000))
    thousandths = bytesPerSecond * 1_000 / PresenceBudget.atOnceDivisor
  }

  /// The budget of an eighth of a second is the most that may be sent at once.
  private static let atOnceDivisor: Int64 = 8
  /// In a twentieth of a second the budget becomes large enough for several states.
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

  /// The bytes of JSON around a state: the actor, the names of the members, a comma.
  private static let stateBytes = 33

  /// When the budget is enough for several states again.
  var nextAt: UInt64 {
    let rate = max(1, bytesPerSecond)
    return filledAt &+ UInt64(max(1, (enough - thousandths + rate - 1) / rate))
  }
}
