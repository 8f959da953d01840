// The state of core.wasm between calls, except the two buffers, and how it answers events and questions.

/// `Boundary.swift` says why a global variable is safe.
nonisolated(unsafe) var sessions = HandleTable<Session>()

func find(_ session: UInt32) -> Session { sessions[session] }

/// Passes an event or an edit to a session. `wall` and `monotonic` are the values of `Date.now()` and
/// `performance.now()`. The answer has the effects for the page.
func perform(
  _ session: UInt32,
  _ wall: Double,
  _ monotonic: Double,
  _ event: (Session, Moment) -> [ReplicaEffect]
) -> Answer {
  let session = find(session)
  let now = Moment(wall, monotonic)
  return answer(event(session, now), of: session, at: now)
}

@inline(never)
private func answer(_ effects: [ReplicaEffect], of session: Session, at now: Moment) -> Answer {
  let losses = session.losses(through: effects, at: now)
  output.clear()
  for effect in session.follow(effects, at: now) { output.append(effect) }
  for loss in losses { output.append(loss) }
  return Answer(output.count)
}

/// Answers a question with the output of `write`. The session does not change.
func answer(_ session: UInt32, _ write: (Session, inout OutputBuffer) -> Void) -> Answer {
  output.clear()
  write(find(session), &output)
  return Answer(output.count)
}

extension Moment {
  /// A moment from the values of `Date.now()` and `performance.now()`.
  init(_ wall: Double, _ monotonic: Double) {
    self.init(wallMilliseconds: Moment.whole(wall), monotonicMilliseconds: Moment.whole(monotonic))
  }

  private static func whole(_ milliseconds: Double) -> UInt64 {
    // With the comparisons in this order, NaN becomes 0.
    milliseconds >= 0 && milliseconds < 9_007_199_254_740_992 ? UInt64(milliseconds) : 0
  }
}
