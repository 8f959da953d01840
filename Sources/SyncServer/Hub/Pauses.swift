/// Why nothing more is read from a visitor.
///
/// What always holds: a rest is over when the longest that was given is over.
struct Pauses {
  enum Reason {
    /// Its room is being opened.
    case opening
    /// Its answers or its operations pile up.
    case backlog
  }

  private var reasons: Set<Reason> = []
  /// It sends more than it may: when it has rested for that, in milliseconds.
  private var restsUntil: UInt64?

  var isEmpty: Bool { reasons.isEmpty && restsUntil == nil }

  mutating func insert(_ reason: Reason) { reasons.insert(reason) }
  mutating func remove(_ reason: Reason) { reasons.remove(reason) }

  mutating func rest(until time: UInt64) { restsUntil = max(restsUntil ?? 0, time) }

  /// To be called when a rest ends. A longer one goes on.
  mutating func restIsOver(at now: UInt64) { if let until = restsUntil, now >= until { restsUntil = nil } }
}
