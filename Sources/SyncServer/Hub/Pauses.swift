/// Why reading from a session is paused.
///
/// What always holds: if several rests (pauses because of a rate limit) overlap, the one that ends last counts.
struct Pauses {
  enum Reason {
    /// The session's room is being opened.
    case opening
    /// Too many answers to the session wait to be sent, or too many of its operations wait to be durable.
    case backlog
  }

  private var reasons: Set<Reason> = []
  /// When the session's rest ends, in milliseconds. A session gets a rest when it exceeds its rate limit.
  private var restsUntil: UInt64?

  var isEmpty: Bool { reasons.isEmpty && restsUntil == nil }

  mutating func insert(_ reason: Reason) { reasons.insert(reason) }
  mutating func remove(_ reason: Reason) { reasons.remove(reason) }

  mutating func rest(until time: UInt64) { restsUntil = max(restsUntil ?? 0, time) }

  /// To be called when a rest should be over. A longer rest that began meanwhile goes on.
  mutating func restIsOver(at now: UInt64) { if let until = restsUntil, now >= until { restsUntil = nil } }
}
