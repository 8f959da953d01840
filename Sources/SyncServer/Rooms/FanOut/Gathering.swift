import CanvasCRDT

/// The next broadcast while it is being gathered: its operations, and when it is due.
///
/// What always holds: the operations are those of the log between `start` and the room's position. If the room has
/// applied a record since the last broadcast, another broadcast is due, even if it has no operations.
struct Gathering: Sendable {
  private let beatMilliseconds: UInt64
  private(set) var operations: [Operation] = []
  private(set) var hasRecords = false
  /// The log position before the gathered operations.
  private(set) var start: UInt64 = 0
  /// When the broadcast has to be made. All times here are on the monotonic clock.
  private(set) var dueAt: UInt64?
  private var lastBeatAt: UInt64?
  /// How long it takes to send a broadcast to everyone, averaged over the newest broadcasts.
  private var sendingMicroseconds: UInt64 = 0

  init(beatMilliseconds: UInt64) { self.beatMilliseconds = beatMilliseconds }

  /// Schedules a broadcast for now, or for the earliest time that the pause between two broadcasts allows. A broadcast
  /// that is already scheduled can only move to an earlier time.
  mutating func begin(_ now: Moment) {
    let time = now.monotonicMilliseconds
    guard let last = lastBeatAt, last <= time, time - last < paceMilliseconds else { return begin(dueAt: time) }
    begin(dueAt: last + paceMilliseconds)
  }

  /// The shortest time between two broadcasts. In a large room it is half of the time that sending a broadcast to
  /// everyone takes.
  private var paceMilliseconds: UInt64 {
    max(beatMilliseconds, sendingMicroseconds * 2 / 1_000 / Gathering.beatsInARound)
  }
  private static let beatsInARound: UInt64 = 4

  /// To be called with the time that it took to send a broadcast to `seats` of `all` seats.
  mutating func sendingTook(microseconds: UInt64, seats: Int, of all: Int) {
    // The time that a few seats took doesn't tell how long the whole room takes.
    guard seats > 0, seats >= min(all, Gathering.seatsToJudgeBy) else { return }
    let whole = min(microseconds, 1_000_000) * UInt64(all) / UInt64(seats)
    sendingMicroseconds = (sendingMicroseconds * 3 + min(whole, 1_000_000)) / 4
  }

  private static let seatsToJudgeBy = 64

  /// Schedules a broadcast at `time`, unless one is due earlier.
  mutating func begin(dueAt time: UInt64) { dueAt = min(dueAt ?? time, time) }

  /// Adds the operations of a commit. A broadcast is due at once, because the operations have already waited for the
  /// log. In a large room, where sending takes longer than the time between two broadcasts, they wait again.
  mutating func add(_ new: [Operation], after position: UInt64, now: Moment) {
    if !hasRecords { start = position }
    hasRecords = true
    operations.append(contentsOf: new)
    let time = now.monotonicMilliseconds
    if paceMilliseconds > beatMilliseconds, let last = lastBeatAt, last <= time {
      begin(dueAt: max(time, last + paceMilliseconds))
    } else {
      dueAt = time
    }
  }

  /// To be called when the broadcast has been made. The next one begins without operations.
  mutating func end(_ now: Moment) {
    lastBeatAt = now.monotonicMilliseconds
    operations.removeAll(keepingCapacity: true)
    hasRecords = false
  }

  /// Sets when the next broadcast is due. To be called when everything that can be sent now has been taken.
  /// - Parameter next: when there will be more to send, if that is known.
  mutating func noteLook(next: UInt64?) { dueAt = next }

  /// Whether no broadcast is due, and none has been made for this many milliseconds.
  func isQuiet(for milliseconds: UInt64, now: Moment) -> Bool {
    guard dueAt == nil, let last = lastBeatAt else { return false }
    return now.monotonicMilliseconds >= last &+ milliseconds
  }

  /// Drops what was gathered. To be called when nobody is left to send it to.
  mutating func forget() {
    operations = []
    hasRecords = false
    dueAt = nil
  }
}
