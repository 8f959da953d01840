// What core.wasm keeps from one call to the next beside the two buffers, and how an event or a question is answered.

/// See `Boundary.swift` for why these may be shared.
nonisolated(unsafe) var sessions = HandleTable<Session>()
nonisolated(unsafe) var canvases = HandleTable<BareCanvas>()

/// The session of that number.
func find(_ session: UInt32) -> Session { sessions[session] }

/// An event or an edit: the session takes in what it led to, and the answer is what the page is to do.
func perform(_ session: UInt32, _ event: (Session) -> [ReplicaEffect]) -> Answer {
  let session = find(session)
  let effects = event(session)
  session.follow(effects)
  output.clear()
  for effect in effects { output.append(effect) }
  return Answer(output.count)
}

/// A question: it changes nothing, and answers what `write` writes.
func answer(_ session: UInt32, _ write: (Session, inout OutputBuffer) -> Void) -> Answer {
  output.clear()
  write(find(session), &output)
  return Answer(output.count)
}

extension Moment {
  /// From `Date.now()` and `performance.now()`.
  init(_ wall: Double, _ monotonic: Double) {
    self.init(wallMilliseconds: Moment.whole(wall), monotonicMilliseconds: Moment.whole(monotonic))
  }

  private static func whole(_ milliseconds: Double) -> UInt64 {
    // In this order what isn't a number becomes 0.
    milliseconds >= 0 && milliseconds < 9_007_199_254_740_992 ? UInt64(milliseconds) : 0
  }
}
