@testable import CanvasCRDT
@testable import RoomLog
@testable import ServerModel
@testable import SyncServer

/// One of the servers that share one log: its process, and what is under way between it and the log.
struct Node {
  /// The server's process, with the real hub. `nil` while no process runs.
  var server: VirtualServer?
  var log: LogLine?
  /// The number of the process. Each process of a history has another number.
  var process = 0
  /// Whether the process was asked to end, and has not ended yet.
  var isStopping = false
  /// The error of the node's wall clock.
  var clockError: Int64 = 0
  /// The time until which the process is suspended. Its sockets stay open.
  var stillUntil: UInt64 = 0
  /// The time until which the node can't reach the log.
  var cutOffUntil: UInt64 = 0
  /// Whether the line to the log breaks as soon as an append is on its way.
  var breaksAtAppend = false
  var room = SeenRoom()
  /// What the process has counted of all its rooms.
  var counts = RoomCounts()
  /// The requests over HTTP that are not answered, in the order in which they came.
  var exchanges: [(exchange: Exchange, request: VirtualRequest)] = []

  // MARK: The line to the log
  /// Appends on their way to the log, in order.
  var appends: [Append] = []
  /// The numbers of the appends that the log has not answered.
  var unanswered: Set<UInt64> = []
  /// All other requests on their way to the log, in order.
  var questions: [(at: UInt64, request: LogRequest)] = []
  /// Whether the log reports to the node what is stored in the room.
  var isFollowing = false
  /// Reports that have not reached the node, in order.
  var reports: [(at: UInt64, event: LogEvent)] = []
  /// Reports that arrive only after later ones, so that the node notices a gap.
  var leftOut: [(at: UInt64, event: LogEvent)] = []
  /// The time until which the log's queue is full. Until then, the log refuses requests that carry bytes.
  var fullUntil: UInt64 = 0
  /// The report that a standby has taken over. It arrives after all earlier reports.
  var notice: Notice?
  /// Refusals of requests with bytes that have not reached the node.
  var failures: [Failure] = []
  /// Appends that were reported to the node as failed, but are stored later, before any other append.
  var unknown: [Append] = []
  /// The messages from other nodes about their people, each with its time of arrival.
  var heard: [(at: UInt64, bytes: [UInt8])] = []
  /// Whether messages from other nodes were lost with the connection to the log, and the node isn't told yet.
  var missesNews = false
  /// Whether the log has reported that it can't be written.
  var isToldOfFault = false
  /// How many of the node's questions the log has refused.
  var refusals = 0
  /// How many batches the log has failed to store.
  var failedBatches = 0
  /// Whether the log has failed to store a batch and has stored none since.
  var isLogInDoubt = false
  /// The position of the last snapshot that an event of the history has asked for.
  var snapshotPosition: UInt64 = 0
  /// Whether the log couldn't be written when the node last read the room's newest snapshot.
  var wasInDoubtAtLoad = false

  struct Append {
    let request: AppendRequest
    let commitsAt: UInt64
    let fails: Bool
  }

  struct Failure {
    let at: UInt64
    let request: UInt64
    let isAppend: Bool
    let error: LogError

    init(at: UInt64, request: UInt64, isAppend: Bool, _ error: LogError) {
      self.at = at
      self.request = request
      self.isAppend = isAppend
      self.error = error
    }
  }

  struct Notice {
    let at: UInt64
    /// Whether the node gets the notice earlier than `at`, because its connection to the log has already revealed the
    /// change.
    var isDue = false
    /// The number of the node's room if the standby lacks some of its records. Otherwise `nil`.
    let lost: Int?
  }

  /// What the world has last seen of the room at this node.
  struct SeenRoom {
    /// `nil` while the room is not open.
    var open: OpenRoom?
    /// The number of the open room. Each time that the node opens or closes the room, it gets another one.
    var number = 0
    /// The value of `Disk.life` for the log that the room was read from.
    var life = 0
    /// Whether the standby lacks some of the records that the node has been told of, or is still being told of.
    var isLost = false
    /// The value of `Disk.life` when the node last asked for the room's newest snapshot.
    var lifeLoaded = 0
    var position: UInt64 = 0
    /// The position of the newest record that the log has reported to the node. The room may not have applied it yet.
    var reported: UInt64 = 0
    var liveCount = 0
    var erasureCount = 0
    var forgottenBefore: UInt64 = 0
    var beats = 0
    var caughtUp: UInt64 = 0
    /// For each member, the number of the newest presence that the others were sent, and when that was.
    var shown: [MemberID: (turn: UInt64, at: UInt64)] = [:]
  }

  var isUp: Bool { server != nil }

  /// Whether nothing is pending between the node, the log, other nodes and threads.
  var isIdle: Bool {
    let isLineIdle =
      appends.isEmpty && questions.isEmpty && reports.isEmpty && leftOut.isEmpty && notice == nil && failures.isEmpty
      && heard.isEmpty
    guard isLineIdle, exchanges.isEmpty, let server, server.heavyWorkCount == 0 else { return false }
    return server.hub.assumeIsolated { $0.log.isClear && $0.deliveries.isEmpty }
  }

  /// Whether the batch of an append is the open room's, rather than that of a room that was closed since.
  func isOfOpenRoom(_ append: UInt64) -> Bool {
    guard let server, let open = room.open else { return false }
    return server.hub.assumeIsolated { $0.log.appends[append]?.room === open }
  }

  /// The operations that the room has accepted, and that the log has not answered yet.
  var inFlight: [[Operation]] {
    guard let server, let open = room.open else { return [] }
    return server.hub.assumeIsolated { hub in
      hub.log.appends.values.filter { $0.room === open }.map { $0.parts.flatMap(\.operations) }
    }
  }

  /// Whether a layout is accepted and not yet among `inFlight`.
  var hasLayoutUnderWay: Bool { server?.hub.assumeIsolated { $0.log.layoutsUnderWay > 0 } ?? false }

  /// The process is gone, and with it everything that is under way.
  mutating func letGo() {
    server = nil
    log = nil
    isStopping = false
    exchanges = []
    appends = []
    unanswered = []
    questions = []
    isFollowing = false
    reports = []
    leftOut = []
    failures = []
    unknown = []
    heard = []
    missesNews = false
    notice = nil
    isToldOfFault = false
    failedBatches = 0
    isLogInDoubt = false
    stillUntil = 0
    cutOffUntil = 0
    breaksAtAppend = false
    counts = RoomCounts()
    room = SeenRoom(number: room.number + 1)
  }
}
