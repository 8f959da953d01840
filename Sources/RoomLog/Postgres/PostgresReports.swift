/// Tells the log's owner about events, answers and statistics.
///
/// What always holds:
/// - Before the log is open, only `.waiting` and `.unusable` are reported.
/// - An accepted request counts as queued until it is released or refused.
/// - Whether rooms can be written and read is reported only when it changes.
final class PostgresReports {
  let address: PostgresAddress
  private let inbox: PostgresInbox
  private let outlet: Outlet
  let shared: SharedFigures

  private(set) var isOpen = false
  private(set) var isUnusable = false
  /// The reasons that were reported while the log wasn't open yet.
  private var reasons: Set<StorageFault> = []
  /// The last report about storing: why nothing could be stored. `nil` if requests could be stored.
  private var fault: StorageFault?
  /// The newest reported reason why rooms can't be read or followed. `nil` if they can.
  private var readingFault: StorageFault?
  /// The open rooms whose last append the database refused.
  private var roomsRefused: Set<String> = []

  init(_ address: PostgresAddress, _ inbox: PostgresInbox, _ outlet: Outlet, _ shared: SharedFigures) {
    self.address = address
    self.inbox = inbox
    self.outlet = outlet
    self.shared = shared
  }

  func tell(_ events: [LogEvent]) { outlet.tell(events) }

  func noteTurn() { shared.update { $0.following?.turns += 1 } }

  func update(_ change: (inout LogStatistics) -> Void) { shared.update(change) }

  /// Counts a commit, and reports it.
  func note(_ report: CommitReport) {
    guard report.rooms > 0 else { return }
    shared.update { figures in
      figures.commits += 1
      figures.records += UInt64(report.records)
      figures.bytes += UInt64(report.bytes)
      figures.commitMicroseconds.add(report.microseconds)
      figures.batchRecords.add(UInt64(report.records))
    }
    outlet.tell([.committed(report)])
  }

  /// Counts a room as damaged, if this error says that it is.
  func note(_ error: LogError, room number: Int64) {
    switch error {
    case .damaged(let room, let position):
      shared.note(.init(room: room, position: position, isHistory: false), room: number)
    case .damagedSnapshot: shared.noteSnapshots(areDamaged: true, room: number)
    default: break
    }
  }

  // MARK: Answers

  func release(_ request: LogRequest) { inbox.queue.release([request]) }

  func refuse(_ request: LogRequest, _ error: LogError? = nil) {
    outlet.tell([.failed(id: request.id, room: request.room, error ?? .unavailable(presentFault))])
    inbox.queue.release([request])
  }

  /// Why nothing can be stored now. Call this only while nothing can be stored.
  var presentFault: StorageFault { fault ?? .database("\(address.description): the connection is gone") }

  /// The error for a caller that has seen an older timeline of the database, from before a standby took over.
  var otherCopy: StorageFault { .database("\(address.description) goes on from another copy than a moment ago") }

  /// Turns a failed request into the error for its caller.
  func error(_ failure: PostgresFailure) -> LogError {
    switch failure {
    case .lost: .unavailable(presentFault)
    case .refused(let state, let message): .unavailable(address.fault(state: state, message: message))
    }
  }

  // MARK: Opening

  func open(secret: [UInt8]?, locks: Set<String>) {
    isOpen = true
    outlet.tell([.opened(secret: secret), .locks(locks)])
  }

  /// Reports why a connection couldn't be made ready. Does nothing if the log is open, or is known to be unusable.
  /// - Parameter areAllUnfit: whether no host can be used without somebody's help.
  func noteUnopened(_ fault: StorageFault, areAllUnfit: Bool) {
    guard !isOpen, !isUnusable else { return }
    if areAllUnfit {
      outlet.tell([.unusable(fault)])
      isUnusable = true
    } else if reasons.insert(fault).inserted {
      outlet.tell([.waiting(fault)])
    }
  }

  // MARK: Availability

  func noteAvailability(_ fault: StorageFault?) {
    guard self.fault != fault else { return }
    self.fault = fault
    shared.update { $0.fault = fault }
    if isOpen { outlet.tell([.availability(room: nil, fault)]) }
  }

  /// Remembers and reports that the database has refused an append to a room.
  func noteRefused(_ room: String, _ fault: StorageFault) {
    guard roomsRefused.insert(room).inserted else { return }
    shareRoomsRefused()
    outlet.tell([.availability(room: room, fault)])
  }

  /// Whether the database refused the room's last append.
  func isRefused(_ room: String) -> Bool { roomsRefused.contains(room) }

  /// To be called when an append to a room is stored. Reports this if the room's previous append was refused.
  func noteTaken(_ room: String) {
    if forgetRefusal(of: room) { outlet.tell([.availability(room: room, nil)]) }
  }

  /// Forgets that the room's last append was refused. To be called when an append is stored, and when the room is
  /// deleted or no longer followed.
  /// - Returns: whether the room's last append was refused.
  @discardableResult
  func forgetRefusal(of room: String) -> Bool {
    guard !roomsRefused.isEmpty, roomsRefused.remove(room) != nil else { return false }
    shareRoomsRefused()
    return true
  }

  private func shareRoomsRefused() {
    let count = roomsRefused.count
    shared.update { $0.following?.roomsRefused = count }
  }

  /// - Parameter absences: for each connection for reading or following that isn't ready, since when and why. Short
  ///   absences aren't reported, because clients would move to another node.
  func noteReading(_ absences: [PostgresLink.Absence], now: UInt64) {
    guard isOpen else { return }
    if let absence = absences.min(by: { $0.since < $1.since }) {
      guard readingFault == nil, now >= absence.since + PostgresReports.patienceMicroseconds else { return }
      readingFault = absence.fault
    } else {
      guard readingFault != nil else { return }
      readingFault = nil
    }
    outlet.tell([.readability(readingFault)])
  }

  private static let patienceMicroseconds: UInt64 = 3_000_000
}
