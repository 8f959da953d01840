/// The reasons why reading from a visitor is paused.
///
/// What always holds: if a visitor was given several rests, the one that ends last counts.
struct Pauses {
  enum Reason {
    /// The visitor's room is being opened.
    case opening
    /// Answers to the visitor, or its operations that aren't durable yet, pile up.
    case backlog
  }

  private var reasons: Set<Reason> = []
  /// When the rest ends that the visitor was given because it sent more than it may. In milliseconds.
  private var restsUntil: UInt64?

  var isEmpty: Bool { reasons.isEmpty && restsUntil == nil }

  mutating func insert(_ reason: Reason) { reasons.insert(reason) }
  mutating func remove(_ reason: Reason) { reasons.remove(reason) }

  mutating func rest(until time: UInt64) { restsUntil = max(restsUntil ?? 0, time) }

  /// To be called when a rest ends. If a longer one has been given meanwhile, that one goes on.
  mutating func restIsOver(at now: UInt64) { if let until = restsUntil, now >= until { restsUntil = nil } }
}
