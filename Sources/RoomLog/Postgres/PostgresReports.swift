/// The events, answers and figures that a log in PostgreSQL reports to its owner.
///
/// What always holds:
/// - Nothing but `.waiting` and `.unusable` is reported before the log is open.
/// - A request that was taken counts as queued until it is released or refused.
/// - Whether rooms can be written and read is reported when it changes.
final class PostgresReports {
  let address: PostgresAddress
  private let inbox: PostgresInbox
  private let outlet: Outlet
  private let shared: SharedFigures

  private(set) var isOpen = false
  private(set) var isUnusable = false
  /// Why it isn't open yet, as was reported.
  private var reasons: Set<StorageFault> = []
  /// Why nothing can be stored, as was last reported.
  private var fault: StorageFault?
  /// Why rooms can't be read or followed, as was last reported.
  private var readingFault: StorageFault?
  /// The rooms that are open here of which the last append was refused.
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

  /// Something has been committed.
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

  // MARK: Answers

  func release(_ request: LogRequest) { inbox.release(request) }

  func refuse(_ request: LogRequest, _ error: LogError? = nil) {
    outlet.tell([.failed(id: request.id, room: request.room, error ?? .unavailable(presentFault))])
    inbox.release(request)
  }

  /// Why nothing can be stored now.
  var presentFault: StorageFault { fault ?? .database("\(address.description): the connection is gone") }

  /// Why what rests on an older timeline is refused.
  var otherCopy: StorageFault { .database("\(address.description) goes on from another copy than a moment ago") }

  /// Why a request came to nothing, for whoever asked.
  func error(_ failure: PostgresFailure) -> LogError {
    switch failure {
    case .lost: .unavailable(presentFault)
    case .refused(let state, let message): .unavailable(address.fault(state: state, message: message))
    }
  }

  // MARK: Opening

  func open(secret: [UInt8], locks: Set<String>) {
    isOpen = true
    outlet.tell([.opened(secret: secret), .locks(locks)])
  }

  /// A connection couldn't be made ready. It matters until the log is open.
  func noteUnopened(_ fault: StorageFault) {
    guard !isOpen, !isUnusable else { return }
    if case .unfit = fault {
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

  /// The database has refused an append to a room.
  func noteRefused(_ room: String, _ fault: StorageFault) {
    guard roomsRefused.insert(room).inserted else { return }
    shareRoomsRefused()
    outlet.tell([.availability(room: room, fault)])
  }

  /// An append to a room is stored.
  func noteTaken(_ room: String) {
    if forgetRefusal(of: room) { outlet.tell([.availability(room: room, nil)]) }
  }

  /// Also where a room was deleted, or is closed here: nobody waits for it to take anything.
  /// - Returns: whether the last append to it was refused.
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

  /// - Parameter absences: of the connections over which rooms are read and followed. One that is soon back is not worth a word:
  ///   people would be sent to other nodes, and back.
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
