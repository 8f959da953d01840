@testable import CanvasCRDT
@testable import RoomLog
@testable import ServerModel
@testable import SyncServer

/// One of the servers that have the rooms of one log: its process, what the log has told it, and how it is cut off.
struct Node {
  /// The server as HTTP requests see it. It has the room.
  let service: SimulatedService
  var isUp = true
  /// By what the log tells what the server's process has written.
  var run: Run
  /// The number under which other nodes know it.
  var number: UInt64
  /// How wrong its wall clock is.
  var clockError: Int64 = 0
  var restedAt: UInt64 = 0
  /// Which life of the log its room is of.
  var life = 0
  /// Of all records that its room has taken.
  var mark = Disk.noMark
  var inLog = RoomInLog(isStored: false)
  /// How many further epochs have been proposed for its room.
  var proposals: UInt64 = 0

  /// Until then its process stands still, and its sockets stay open.
  var stillUntil: UInt64 = 0
  /// Until then it does not reach the log.
  var cutOffUntil: UInt64 = 0

  // Its side of the log.
  /// On their way there, in order.
  var appends: [Append] = []
  /// The reports that it has yet to be sent, in order.
  var reports: [(at: UInt64, what: Report)] = []
  /// What it is told only after what came later in the log, so that it sees a gap.
  var leftOut: [(at: UInt64, what: Report)] = []
  /// Until then the queue before the log is full: what carries bytes is refused.
  var fullUntil: UInt64 = 0
  /// That the log goes on as another copy, which it is to be told after all that it was told before.
  var notice: Notice?
  var failures: [(at: UInt64, batch: UInt64, error: LogError)] = []
  var snapshots: [(at: UInt64, request: SnapshotRequest)] = []
  /// Refused, and stored all the same, as is found out before anything else is stored.
  var unknown: [Append] = []
  /// News from other nodes about their people.
  var heard: [(at: UInt64, bytes: [UInt8])] = []

  // Its room.
  /// The room's orders for its overlaps, and when each will be done.
  var overlapOrders: [(order: OverlapOrder, due: UInt64)] = []
  /// Layouts that are being stamped.
  var preparations: [(batch: Batch, due: UInt64, run: UInt64?, timeline: UInt64)] = []
  /// The requests that have no answer yet, by their numbers.
  var exchanges: [UInt64: Exchange] = [:]
  /// Batches that the room has let in and the log has not answered for.
  var inFlight: [(number: UInt64, operations: [Operation])] = []
  /// How many batches the log has refused.
  var failedBatches = 0
  /// Whether the log has taken nothing since it last refused a batch.
  var isLogInDoubt = false

  struct Append {
    let batch: Batch
    let request: AppendRequest
    let commitsAt: UInt64
    let fails: Bool
  }

  struct Notice {
    let at: UInt64
    /// Whether the log has found it out before.
    var isDue = false
    /// The room, if it has records that are gone: which one of the node's rooms it is.
    let lost: Int?
  }

  /// A report of the log to a node that follows the room.
  enum Report {
    /// - Parameter batch: the node's own batch that was stored so; nil if another wrote it.
    case stored(batch: UInt64?, AppendedRecords)
    /// Another node has deleted the room.
    case deleted(epoch: UInt64)
    /// The next records are no longer in the log.
    case lost
  }

  /// Whether it waits for the log, or the log for it.
  var isIdle: Bool {
    exchanges.isEmpty && appends.isEmpty && reports.isEmpty && leftOut.isEmpty && notice == nil && failures.isEmpty
      && heard.isEmpty
      && overlapOrders.isEmpty && preparations.isEmpty
  }

  /// The process has ended, or its room is gone: nobody waits for what was on its way.
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
