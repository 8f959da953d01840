@testable import CanvasCRDT
@testable import RoomLog
@testable import ServerModel
@testable import SyncServer

/// One of the servers that share the rooms of one log: its process, what the log has reported to it, and whether it is
/// cut off.
struct Node {
  /// The server as HTTP requests see it. It owns the room.
  let service: SimulatedService
  var isUp = true
  /// The number that marks what the server's process writes to the log.
  var run: Run
  /// The number by which other nodes know the node.
  var number: UInt64
  /// How far the node's wall clock is off.
  var clockError: Int64 = 0
  var restedAt: UInt64 = 0
  /// The life of the log to which the node's room belongs.
  var life = 0
  /// The mark of all records that the node's room has taken.
  var mark = Disk.noMark
  var inLog = RoomInLog(isStored: false)
  /// How many epochs have been proposed for the node's room after the first one.
  var proposals: UInt64 = 0

  /// Until when the process stands still. Its sockets stay open meanwhile.
  var stillUntil: UInt64 = 0
  /// Until when the node doesn't reach the log.
  var cutOffUntil: UInt64 = 0

  // Its side of the log.
  /// Appends on their way to the log, in order.
  var appends: [Append] = []
  /// Reports of the log on their way to the node, in order.
  var reports: [(at: UInt64, what: Report)] = []
  /// Reports that the node gets only after later ones, so that it sees a gap.
  var leftOut: [(at: UInt64, what: Report)] = []
  /// Until when the queue before the log is full, so that requests with bytes are refused.
  var fullUntil: UInt64 = 0
  /// The notice that the log goes on as another copy. The node gets it after all earlier reports.
  var notice: Notice?
  var failures: [(at: UInt64, batch: UInt64, error: LogError)] = []
  var snapshots: [(at: UInt64, request: SnapshotRequest)] = []
  /// Appends that were refused, and are stored all the same. The log finds that out before it stores anything else.
  var unknown: [Append] = []
  /// News from other nodes about their people.
  var heard: [(at: UInt64, bytes: [UInt8])] = []

  // What belongs to the room of the node.
  /// The room's orders for its overlaps, and when each will be carried out.
  var overlapOrders: [(order: OverlapOrder, due: UInt64)] = []
  /// Layouts that are being stamped, and when the stamping of each ends.
  var preparations: [(batch: Batch, due: UInt64, run: UInt64?, timeline: UInt64)] = []
  /// Unanswered HTTP requests, by their numbers.
  var exchanges: [UInt64: Exchange] = [:]
  /// Batches that the room has admitted, and that the log has not answered.
  var inFlight: [(number: UInt64, operations: [Operation])] = []
  /// How many batches the log has refused.
  var failedBatches = 0
  /// Whether the log has stored nothing since it last refused a batch.
  var isLogInDoubt = false

  struct Append {
    let batch: Batch
    let request: AppendRequest
    let commitsAt: UInt64
    let fails: Bool
  }

  struct Notice {
    let at: UInt64
    /// Whether the log has noticed the change before `at`, so that the node gets the notice now.
    var isDue = false
    /// The number of the node's room if that room has records that are lost.
    let lost: Int?
  }

  /// A report of the log to a node that follows the room.
  enum Report {
    /// - Parameter batch: the node's own batch that was stored. `nil` if another process wrote the records.
    case stored(batch: UInt64?, AppendedRecords)
    /// Another node has deleted the room.
    case deleted(epoch: UInt64)
    /// The next records are no longer in the log, so the room can't be followed further.
    case lost
  }

  /// Whether neither the node waits for the log nor the log for the node.
  var isIdle: Bool {
    exchanges.isEmpty && appends.isEmpty && reports.isEmpty && leftOut.isEmpty && notice == nil && failures.isEmpty
      && heard.isEmpty
      && overlapOrders.isEmpty && preparations.isEmpty
  }

  /// The process has ended, or its room is gone: what was on its way is dropped.
  mutating func letGo() {
    appends = []
    reports = []
    leftOut = []
    failures = []
    snapshots = []
    unknown = []
    heard = []
    overlapOrders = []
    preparations = []
    inFlight = []
  }
}
