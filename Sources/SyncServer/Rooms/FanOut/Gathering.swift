import CanvasCRDT

/// The next beat while it is being gathered: its operations, and when it is due.
///
/// What always holds: the operations are those of the log between `start` and the room's position. If the room has
/// taken any record since the last beat, a beat is due: even without operations for a reader, it brings the new cursor.
/// A round, in which each reader is offered the newest beats, has at most about four beats.
struct Gathering: Sendable {
  private let beatMilliseconds: UInt64
  private(set) var operations: [Operation] = []
  private(set) var hasRecords = false
  /// The place in the log before the operations.
  private(set) var start: UInt64 = 0
  /// On the monotonic clock, like all times here.
  private(set) var dueAt: UInt64?
  private var lastBeatAt: UInt64?
  /// How long sending a beat to everyone has taken of late.
  private var sendingMicroseconds: UInt64 = 0

  init(beatMilliseconds: UInt64) { self.beatMilliseconds = beatMilliseconds }

  /// Something is to be told to all: at once, if the room has been quiet for a beat, otherwise at the end of this beat.
  /// A beat that is due later, for something that can wait, comes earlier then.
  mutating func begin(_ now: Moment) {
    let time = now.monotonicMilliseconds
    guard let last = lastBeatAt, last <= time, time - last < paceMilliseconds else { return begin(dueAt: time) }
    begin(dueAt: last + paceMilliseconds)
  }

  /// The shortest time between two beats. A round takes twice as long as the sending alone.
  private var paceMilliseconds: UInt64 {
    max(beatMilliseconds, sendingMicroseconds * 2 / 1_000 / Gathering.beatsInARound)
  }
  private static let beatsInARound: UInt64 = 4

  /// How long it took to send a beat to some of the seats.
  mutating func sendingTook(microseconds: UInt64, seats: Int, of all: Int) {
    // The time for a few seats can't be scaled up to a whole room.
    guard seats > 0, seats >= min(all, Gathering.seatsToJudgeBy) else { return }
    let whole = min(microseconds, 1_000_000) * UInt64(all) / UInt64(seats)
    sendingMicroseconds = (sendingMicroseconds * 3 + min(whole, 1_000_000)) / 4
  }

  private static let seatsToJudgeBy = 64

  /// There is something to send to everyone at that time.
  mutating func begin(dueAt time: UInt64) { dueAt = min(dueAt ?? time, time) }

  /// Adds operations. Those of one commit come in one turn, and have already gathered for a beat on their way into the
  /// log. Waiting for another beat here would delay them twice, so only a room that is so large that sending takes
  /// longer waits.
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

  /// To be called when the beat has been made.
  mutating func end(_ now: Moment) {
    lastBeatAt = now.monotonicMilliseconds
    operations.removeAll(keepingCapacity: true)
    hasRecords = false
  }

  /// To be called after looking for something to send.
  /// - Parameter next: when there will be more to send, if that is known.
  mutating func noteLook(next: UInt64?) { dueAt = next }

  /// Whether nothing is gathered, and nothing has been for this time.
  func isQuiet(for milliseconds: UInt64, now: Moment) -> Bool {
    guard dueAt == nil, let last = lastBeatAt else { return false }
    return now.monotonicMilliseconds >= last &+ milliseconds
  }

  /// To be called when nobody is left to send to.
  mutating func forget() {
    operations = []
    hasRecords = false
    dueAt = nil
  }
}
