@testable import CanvasCRDT
@testable import RoomLog
@testable import ServerModel
@testable import SyncServer

/// One of the servers that share one log: its process, its connection to the log, and its room.
struct Node {
  /// The node's HTTP service, which owns the node's room.
  let service: SimulatedService
  var isUp = true
  /// Identifies the server's process in the records that it writes.
  var run: Run
  /// The number by which other nodes know the node.
  var number: UInt64
  /// The error of the node's wall clock.
  var clockError: Int64 = 0
  var restedAt: UInt64 = 0
  /// The value of `Disk.life` for the log that the node's room was read from.
  var life = 0
  /// The hash of all log records that the node's room has applied.
  var mark = Disk.noMark
  var inLog = RoomInLog(isStored: false)
  /// How many further epochs the node has proposed after its first one. An epoch is the unique number of a room.
  var proposals: UInt64 = 0

  /// The time until which the process is suspended. Its sockets stay open.
  var stillUntil: UInt64 = 0
  /// The time until which the node can't reach the log.
  var cutOffUntil: UInt64 = 0

  // MARK: The connection to the log
  /// Appends on their way to the log, in order.
  var appends: [Append] = []
  /// Notifications from the log that have not reached the node, in order.
  var reports: [(at: UInt64, what: Report)] = []
  /// Notifications that arrive only after later ones, so that the node notices a gap.
  var leftOut: [(at: UInt64, what: Report)] = []
  /// The time until which the log's queue is full. Until then, the log refuses requests that carry bytes.
  var fullUntil: UInt64 = 0
  /// The notification that a standby has taken over. It arrives after all earlier notifications.
  var notice: Notice?
  var failures: [(at: UInt64, batch: UInt64, error: LogError)] = []
  var snapshots: [(at: UInt64, request: SnapshotRequest)] = []
  /// Appends that were reported to the node as failed, but are stored later, before any other append.
  var unknown: [Append] = []
  /// The messages from other nodes about their members, each with its time of arrival.
  var heard: [(at: UInt64, bytes: [UInt8])] = []

  // MARK: The node's room
  /// The room's requests to compute overlaps, each with the time at which it is carried out.
  var overlapOrders: [(order: OverlapOrder, due: UInt64)] = []
  /// Layouts whose operations get their stamps in the background, and when each is ready.
  var preparations: [(batch: Batch, due: UInt64, run: UInt64?, timeline: UInt64)] = []
  /// Unanswered HTTP requests, by their numbers.
  var exchanges: [UInt64: Exchange] = [:]
  /// Batches that the room has accepted and the log has not answered yet.
  var inFlight: [(number: UInt64, operations: [Operation])] = []
  /// How many batches the log has failed to store.
  var failedBatches = 0
  /// Whether the log has failed to store a batch and has stored none since.
  var isLogInDoubt = false

  struct Append {
    let batch: Batch
    let request: AppendRequest
    let commitsAt: UInt64
    let fails: Bool
  }

  struct Notice {
    let at: UInt64
    /// Whether the node gets the notice earlier than `at`, because its connection to the log has already revealed the
    /// change.
    var isDue = false
    /// The number of the node's room (`SimulatedService.life`) if the standby lacks some of its records. Otherwise
    /// `nil`.
    let lost: Int?
  }

  /// A notification from the log to a node that has the room open.
  enum Report {
    /// - Parameter batch: the node's own batch. `nil` if another process wrote the records.
    case stored(batch: UInt64?, AppendedRecords)
    /// Another node has deleted the room.
    case deleted(epoch: UInt64)
    /// The log has dropped the next records, so the node can't catch up any more.
    case lost
  }

  /// Whether nothing is pending between the node, the log and other nodes.
  var isIdle: Bool {
    exchanges.isEmpty && appends.isEmpty && reports.isEmpty && leftOut.isEmpty && notice == nil && failures.isEmpty
      && heard.isEmpty
      && overlapOrders.isEmpty && preparations.isEmpty
  }

  /// Drops everything that is pending, because the process has ended or its room is gone.
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
