import RoomLog

/// What the hub counts, beside what rooms, the loop and the log do themselves. The numbers only grow.
struct HubCounts {
  private(set) var connectionsOpened: UInt64 = 0
  private(set) var messagesIn: UInt64 = 0
  private(set) var operationsIn: UInt64 = 0
  /// Operations times the connections that they were for.
  private(set) var operationsOut: UInt64 = 0
  /// How often a socket was written to.
  private(set) var writes: UInt64 = 0
  private(set) var snapshots: UInt64 = 0
  private(set) var snapshotMismatches: UInt64 = 0
  private(set) var requests: [Int: UInt64] = [:]
  private(set) var closes: [UInt16: UInt64] = [:]
  /// By the word of a close code, or `http_` and a status; rooms count their own.
  private(set) var refusals: [String: UInt64] = [:]
  /// From an operation's arrival to the beat that brought it to all.
  private(set) var deliveryMicroseconds = Histogram(firstBound: 64)
  /// How well a busy room gathers, and to how many a beat goes.
  private(set) var beatOperations = Histogram(firstBound: 1)
  private(set) var beatFrames = Histogram(firstBound: 1)
  /// How far writers' clocks are from ours, either way.
  private(set) var clockAheadMilliseconds = Histogram(firstBound: 1)
  private(set) var clockBehindMilliseconds = Histogram(firstBound: 1)
  /// What rooms had counted that are closed now.
  private(set) var closedRooms = RoomCounts()

  mutating func noteConnection() { connectionsOpened += 1 }
  mutating func noteMessage() { messagesIn += 1 }
  mutating func noteWrite() { writes += 1 }
  mutating func noteAppend(operations: Int) { operationsIn += UInt64(operations) }
  mutating func noteDelivery(operations: Int, connections: Int) { operationsOut += UInt64(operations * connections) }
  mutating func noteSnapshot(isTrue: Bool) { if isTrue { snapshots += 1 } else { snapshotMismatches += 1 } }
  mutating func noteRequest(status: Int) { requests[status, default: 0] += 1 }
  mutating func noteClose(code: UInt16) { closes[code, default: 0] += 1 }
  mutating func noteRefusal(_ word: String) { refusals[word, default: 0] += 1 }
  mutating func noteClosed(_ room: RoomCounts) { closedRooms.add(room) }

  mutating func noteClock(_ stamp: UInt64, now: UInt64) {
    if stamp > now { clockAheadMilliseconds.add(stamp - now) } else { clockBehindMilliseconds.add(now - stamp) }
  }

  /// Operations that arrived at these times have gone out.
  mutating func noteArrivals(_ arrivals: [UInt64], now: UInt64) {
    for arrival in arrivals { deliveryMicroseconds.add(now - min(now, arrival)) }
  }

  /// - Parameter frames: how often a socket was written to for them.
  mutating func noteBeats(_ beats: UInt64, operations: UInt64, frames: UInt64) {
    // Seldom more than one a turn: then they count as alike.
    for _ in 0..<beats { beatOperations.add(operations / beats) }
    beatFrames.add(frames)
  }
}
