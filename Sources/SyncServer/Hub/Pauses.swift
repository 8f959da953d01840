/// The reasons why reading from a visitor is paused.
///
/// What always holds: if a visitor was given several rests, the pause lasts until the last of them ends.
struct Pauses {
  enum Reason {
    /// The visitor's room is being opened.
    case opening
    /// Too many answers to the visitor wait to be sent, or too many of its operations wait to be durable.
    case backlog
  }

  private var reasons: Set<Reason> = []
  /// When the visitor's rest ends, in milliseconds. A visitor is given a rest if it sends more than it may.
  private var restsUntil: UInt64?

  var isEmpty: Bool { reasons.isEmpty && restsUntil == nil }

  mutating func insert(_ reason: Reason) { reasons.insert(reason) }
  mutating func remove(_ reason: Reason) { reasons.remove(reason) }

  mutating func rest(until time: UInt64) { restsUntil = max(restsUntil ?? 0, time) }

  /// To be called when a rest ends. If a longer rest has been given meanwhile, the longer one goes on.
  mutating func restIsOver(at now: UInt64) { if let until = restsUntil, now >= until { restsUntil = nil } }
}
