import CanvasCRDT

/// The next beat while it gathers: its operations, and when it is due.
///
/// What always holds: the operations are those of the log between `start` and the room's position, and where there are any,
/// a beat is due.
struct Gathering: Sendable {
  private let beatMilliseconds: UInt64
  private(set) var operations: [Operation] = []
  /// The place in the log before the operations.
  private(set) var start: UInt64 = 0
  /// On the monotonic clock, as all times here.
  private(set) var dueAt: UInt64?
  private var lastBeatAt: UInt64?

  init(beatMilliseconds: UInt64) { self.beatMilliseconds = beatMilliseconds }

  /// Something is to be told to all: now, where the room has been quiet for a beat, or at the end of this one.
  mutating func begin(_ now: Moment) {
    guard dueAt == nil else { return }
    let time = now.monotonicMilliseconds
    guard let last = lastBeatAt, last <= time, time - last < beatMilliseconds else {
      dueAt = time
      return
    }
    dueAt = last + beatMilliseconds
  }

  /// Something is to be told to all at that time.
  mutating func begin(dueAt time: UInt64) { dueAt = min(dueAt ?? time, time) }

  /// Operations gathered on their way into the log, and all that one commit brought come in one turn: waiting for a beat
  /// here too would make them late twice.
  mutating func add(_ new: [Operation], after position: UInt64, now: Moment) {
    if operations.isEmpty { start = position }
    operations.append(contentsOf: new)
    dueAt = now.monotonicMilliseconds
  }

  /// The beat is made.
  mutating func end(_ now: Moment) {
    lastBeatAt = now.monotonicMilliseconds
    operations.removeAll(keepingCapacity: true)
  }

  /// What has gathered is being looked at.
  /// - Parameter next: when there will be more to tell, as far as that is known.
  mutating func isLookedAt(next: UInt64?) { dueAt = next }

  /// Whether nothing has gathered, and nothing has for so long.
  func isQuiet(for milliseconds: UInt64, now: Moment) -> Bool {
    guard dueAt == nil, let last = lastBeatAt else { return false }
    return now.monotonicMilliseconds >= last &+ milliseconds
  }

  /// Nobody is to be told anything.
  mutating func forget() {
    operations = []
    dueAt = nil
  }
}
