import CanvasCRDT

/// The next beat while it is being gathered: its operations, and when it is due.
///
/// What always holds: the operations are those of the log between `start` and the room's position. If the room has
/// folded any record since the last beat, a beat is due: even if no reader gets an operation from it, they get the new
/// cursor. A round, in which each reader is offered the newest beats, lasts for at most about four beats.
struct Gathering: Sendable {
  private let beatMilliseconds: UInt64
  private(set) var operations: [Operation] = []
  private(set) var hasRecords = false
  /// The place in the log before the operations.
  private(set) var start: UInt64 = 0
  /// When the beat has to be made, on the monotonic clock, like all times here.
  private(set) var dueAt: UInt64?
  private var lastBeatAt: UInt64?
  /// How long it takes to send a beat to everyone, averaged over the last beats.
  private var sendingMicroseconds: UInt64 = 0

  init(beatMilliseconds: UInt64) { self.beatMilliseconds = beatMilliseconds }

  /// Schedules a beat: at once, if the last beat was long enough ago, otherwise when the time between two beats is
  /// over. A beat that was scheduled for later, because its content can wait, comes earlier now.
  mutating func begin(_ now: Moment) {
    let time = now.monotonicMilliseconds
    guard let last = lastBeatAt, last <= time, time - last < paceMilliseconds else { return begin(dueAt: time) }
    begin(dueAt: last + paceMilliseconds)
  }

  /// The shortest time between two beats. In a large room it follows from the time that sending a beat to everyone
  /// takes: a round lasts twice that time, and has four beats.
  private var paceMilliseconds: UInt64 {
    max(beatMilliseconds, sendingMicroseconds * 2 / 1_000 / Gathering.beatsInARound)
  }
  private static let beatsInARound: UInt64 = 4

  /// Records how long it took to send a beat to some of all seats.
  mutating func sendingTook(microseconds: UInt64, seats: Int, of all: Int) {
    // A few seats say too little about how long a whole room takes.
    guard seats > 0, seats >= min(all, Gathering.seatsToJudgeBy) else { return }
    let whole = min(microseconds, 1_000_000) * UInt64(all) / UInt64(seats)
    sendingMicroseconds = (sendingMicroseconds * 3 + min(whole, 1_000_000)) / 4
  }

  private static let seatsToJudgeBy = 64

  /// Schedules a beat at that time, unless one is due earlier.
  mutating func begin(dueAt time: UInt64) { dueAt = min(dueAt ?? time, time) }

  /// Adds operations, and schedules a beat at once. The operations of one commit come in one turn. They have already
  /// waited for a beat on their way into the log, so waiting for another one would delay them twice. Only in a room so
  /// large that sending takes longer than a beat do they wait.
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

  /// The beat has been made, and the next one begins without operations.
  mutating func end(_ now: Moment) {
    lastBeatAt = now.monotonicMilliseconds
    operations.removeAll(keepingCapacity: true)
    hasRecords = false
  }

  /// Sets when the next beat is due, after everything that may be sent now has been taken.
  /// - Parameter next: when there will be more to send, if that is known.
  mutating func noteLook(next: UInt64?) { dueAt = next }

  /// Whether no beat is due, and none has been made for this many milliseconds.
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
