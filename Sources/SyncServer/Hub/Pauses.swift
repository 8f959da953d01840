/// Why nothing more is read from a visitor.
///
/// What always holds: of all rests that were given, the one that ends last counts.
struct Pauses {
  enum Reason {
    /// Its room is being opened.
    case opening
    /// Its answers or its operations pile up.
    case backlog
  }

  private var reasons: Set<Reason> = []
  /// When its rest ends, in milliseconds, if it has sent more than it may.
  private var restsUntil: UInt64?

  var isEmpty: Bool { reasons.isEmpty && restsUntil == nil }

  mutating func insert(_ reason: Reason) { reasons.insert(reason) }
  mutating func remove(_ reason: Reason) { reasons.remove(reason) }

  mutating func rest(until time: UInt64) { restsUntil = max(restsUntil ?? 0, time) }

  /// To be called when a rest ends. A longer one goes on.
  mutating func restIsOver(at now: UInt64) { if let until = restsUntil, now >= until { restsUntil = nil } }
}
