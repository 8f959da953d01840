import Basics
import CanvasCRDT
import RoomLog
import WebSocketLoop

/// The hub's counters. They only grow. Rooms, the loop and the log have counters of their own.
struct HubCounts {
  private(set) var connectionsOpened: UInt64 = 0
  private(set) var messagesIn: UInt64 = 0
  private(set) var operationsIn: UInt64 = 0
  /// How many operations were delivered: an operation that is sent to ten connections counts ten times.
  private(set) var operationsOut: UInt64 = 0
  /// How many times a socket was written to.
  private(set) var writes: UInt64 = 0
  private(set) var overlapOrders = 0
  private(set) var snapshots: UInt64 = 0
  private(set) var snapshotMismatches: UInt64 = 0
  /// How many times another node's copy of a room was found to differ from this node's.
  private(set) var differences: UInt64 = 0
  private(set) var requests: [Int: UInt64] = [:]
  private(set) var closes: [UInt16: UInt64] = [:]
  /// The number of refusals, by the name of the close code, or by `http_` and the HTTP status. Refused operations are
  /// counted by their rooms.
  private(set) var refusals: [String: UInt64] = [:]
  /// The times from an operation's arrival to the broadcast that sent it to everyone.
  private(set) var deliveryMicroseconds = Histogram(.microseconds)
  /// How long the iterations of the event loop (turns) took. Everything else had to wait that long.
  private(set) var turnMicroseconds = Histogram(.microseconds)
  private(set) var longestTurn = GreatestTurn { $0.microseconds }
  private(set) var busiestTurn = GreatestTurn { $0.processorMicroseconds }
  /// How many operations a broadcast has, and how many connections it is sent to.
  private(set) var beatOperations = Histogram(.counts)
  private(set) var beatFrames = Histogram(.counts)
  /// How far writers' clocks differ from the server's, in either direction.
  private(set) var clockAheadMilliseconds = Histogram(.counts)
  private(set) var clockBehindMilliseconds = Histogram(.counts)
  /// The sums of the counts of rooms that have been closed.
  private(set) var closedRooms = RoomCounts()

  mutating func noteConnection() { connectionsOpened += 1 }
  mutating func noteMessage() { messagesIn += 1 }
  mutating func noteWrite() { writes += 1 }
  mutating func noteOverlapOrder() { overlapOrders += 1 }
  mutating func noteOverlapOrderDone() { overlapOrders -= 1 }
  mutating func noteAppend(operations: Int) { operationsIn += UInt64(operations) }
  mutating func noteDelivery(operations: Int, connections: Int) { operationsOut += UInt64(operations * connections) }
  mutating func noteSnapshot(isTrue: Bool) { if isTrue { snapshots += 1 } else { snapshotMismatches += 1 } }
  mutating func noteDifference() { differences += 1 }
  mutating func noteRequest(status: Int) { requests[status, default: 0] += 1 }
  mutating func noteClose(code: UInt16) { closes[code, default: 0] += 1 }
  mutating func noteRefusal(_ word: String) { refusals[word, default: 0] += 1 }
  mutating func noteClosed(_ room: RoomCounts) { closedRooms.add(room) }

  mutating func noteTurn(_ turn: LoopTurn) {
    turnMicroseconds.add(turn.microseconds)
    longestTurn.note(turn)
    busiestTurn.note(turn)
  }

  mutating func passTurns(_ now: Moment) {
    longestTurn.pass(now)
    busiestTurn.pass(now)
  }

  mutating func noteClock(_ stamp: UInt64, now: UInt64) {
    if stamp > now { clockAheadMilliseconds.add(stamp - now) } else { clockBehindMilliseconds.add(now - stamp) }
  }

  /// Adds sent operations to the counts.
  /// - Parameter arrivals: the times at which the operations arrived.
  mutating func noteArrivals(_ arrivals: [UInt64], now: UInt64) {
    for arrival in arrivals { deliveryMicroseconds.add(now - min(now, arrival)) }
  }

  /// - Parameter frames: how many writes to sockets it took to send the broadcasts.
  mutating func noteBeats(_ beats: UInt64, operations: UInt64, frames: UInt64) {
    // There is seldom more than one broadcast. If there are several, each is counted with the same share of the
    // operations.
    for _ in 0..<beats { beatOperations.add(operations / beats) }
    beatFrames.add(frames)
  }
}

/// The longest iteration of the event loop (turn) in this minute and the one before. So a scrape every minute sees each
/// long iteration, and no long iteration is shown for ever.
struct GreatestTurn {
  private let measure: @Sendable (LoopTurn) -> UInt64
  private var before = LoopTurn()
  private var now = LoopTurn()
  private var minute: UInt64 = 0

  init(_ measure: @escaping @Sendable (LoopTurn) -> UInt64) { self.measure = measure }

  var turn: LoopTurn { measure(before) > measure(now) ? before : now }

  mutating func note(_ turn: LoopTurn) { if measure(turn) > measure(now) { now = turn } }

  /// When a minute is over, begins the next one. To be called once a second.
  mutating func pass(_ time: Moment) {
    let minute = time.monotonicMilliseconds / 60_000
    guard minute != self.minute else { return }
    before = minute == self.minute + 1 ? now : LoopTurn()
    now = LoopTurn()
    self.minute = minute
  }
}
