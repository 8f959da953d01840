import RoomLog

/// What the hub counts, beside what rooms, the loop and the log do themselves.
struct Metrics {
  var connectionsOpened: UInt64 = 0
  var messagesIn: UInt64 = 0
  var operationsIn: UInt64 = 0
  /// Operations times the connections that they were for.
  var operationsOut: UInt64 = 0
  /// How often a socket was written to.
  var writes: UInt64 = 0
  var snapshots: UInt64 = 0
  var snapshotMismatches: UInt64 = 0
  var requests: [Int: UInt64] = [:]
  var closes: [UInt16: UInt64] = [:]
  /// By the word of a close code, or `http_` and a status; rooms count their own.
  var refusals: [String: UInt64] = [:]
  /// From an operation's arrival to the beat that brought it to all.
  var deliveryMicroseconds = Histogram(firstBound: 64)
  /// How well a busy room gathers, and to how many a beat goes.
  var beatOperations = Histogram(firstBound: 1)
  var beatFrames = Histogram(firstBound: 1)
  /// How far writers' clocks are from ours, either way.
  var clockAheadMilliseconds = Histogram(firstBound: 1)
  var clockBehindMilliseconds = Histogram(firstBound: 1)
  /// What rooms had counted that are closed now.
  var closedRooms = RoomCounts()

  mutating func noteClock(_ stamp: UInt64, now: UInt64) {
    if stamp > now { clockAheadMilliseconds.add(stamp - now) } else { clockBehindMilliseconds.add(now - stamp) }
  }
}

extension RoomCounts {
  mutating func add(_ other: RoomCounts) {
    beats += other.beats
    framesBytes += other.framesBytes
    statesMade += other.statesMade
    beatOperations += other.beatOperations
    caughtUp += other.caughtUp
    joinsWhole += other.joinsWhole
    joinsDifference += other.joinsDifference
    catchUpsWhole += other.catchUpsWhole
    catchUpsDifference += other.catchUpsDifference
    digests += other.digests
    for index in refusals.indices { refusals[index] += other.refusals[index] }
  }
}
