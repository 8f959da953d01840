/// The content of one transaction: appends, or the creation or deletion of one room.
struct PostgresBatch {
  let requests: [LogRequest]
  let beganAt: UInt64
  /// The epoch of that room before the change; `nil` if there was none.
  var epoch: UInt64?
  /// For each room with appends, a position that all of them come after.
  var known: [String: UInt64] = [:]
}

/// Storing: requests that gather during a commit make up the next one.
///
/// What always holds:
/// - At most one batch is under way.
/// - A batch with an unknown outcome is settled before the next is sent.
/// - Requests about one room are carried out in the order in which they came.
final class PostgresWriting {
  /// The number of this process as a writer in the database. Random, and never 0.
  let number: Int64
  private let link: PostgresLink
  /// A second connection, over which the database is asked to end transactions that block a batch.
  private let beside: PostgresLink
  let reports: PostgresReports
  let following: PostgresFollowing
  let bells: PostgresBells

  private var waiting: [LogRequest] = []
  /// The requests to send first, each in a transaction of its own, because the database has refused one of them.
  private var singles: [LogRequest] = []
  private var underWay: PostgresBatch?
  /// Whether the batch under way was sent over a connection that has been lost.
  private var isUndecided = false
  /// How often in a row a batch has been rolled back because of a conflict with other transactions.
  private var gaveWay = 0
  /// When silent connections were last ended.
  private var endedSilentAt: UInt64 = 0

  init(
    _ link: PostgresLink,
    beside: PostgresLink,
    _ reports: PostgresReports,
    _ following: PostgresFollowing,
    _ bells: PostgresBells,
    number: Int64
  ) {
    self.link = link
    self.beside = beside
    self.reports = reports
    self.following = following
    self.bells = bells
    self.number = number
  }

  static let statements: [PostgresStatement] = [
    .evict, .lock, .pause, .offerSecret, .secret, .settle, .look, .begin, .commit, .rollback, .create, .append,
    .beginRoom,
    .epoch,
    .delete,
  ]

  var isDone: Bool { underWay == nil && waiting.isEmpty && singles.isEmpty }
  /// When `goOn` must be called at the latest.
  var deadline: UInt64 { beside.isReady ? nextEndSilent : .max }

  func add(_ request: LogRequest) {
    guard link.isReady else { return reports.refuse(request) }
    waiting.append(request)
  }

  /// Whether an append was sent and has no answer yet.
  func isUnderWay(_ append: UInt64) -> Bool { underWay?.requests.contains { $0.id == append } ?? false }

  func linkIsLost(_ fault: StorageFault) {
    let refused = singles + waiting
    singles = []
    waiting = []
    for request in refused { reports.refuse(request, .unavailable(fault)) }
  }

  /// Nothing more is stored, and batches that were sent are not waited for.
  func close() {
    linkIsLost(reports.presentFault)
    if let underWay { refuse(underWay, reports.presentFault) }
    underWay = nil
  }

  func goOn(now: UInt64) {
    sendNext()
    endSilent(now: now)
  }

  // MARK: Sending

  private func sendNext() {
    while link.isReady, underWay == nil, let next = takeSingle() {
      if next.isAppend { append([next]) } else { change(next) }
    }
    guard link.isReady, underWay == nil, !waiting.isEmpty else { return }
    var requests: [LogRequest] = []
    var bytes = 0
    while requests.count < waiting.count, waiting[requests.count].isAppend, bytes < PostgresWriting.commitBytesMax,
      requests.count < PostgresWriting.commitRequestsMax
    {
      bytes += waiting[requests.count].cost
      requests.append(waiting[requests.count])
    }
    waiting.removeFirst(requests.count)
    // All nodes lock rooms in the order of their names. So no two of them ever wait for each other.
    let ordered = requests.enumerated().sorted {
      ($0.element.room ?? "", $0.offset) < ($1.element.room ?? "", $1.offset)
    }
    append(ordered.map(\.element))
  }

  /// Requests that need a transaction of their own.
  private func takeSingle() -> LogRequest? {
    if !singles.isEmpty { return singles.removeFirst() }
    return waiting.first?.isAppend == false ? waiting.removeFirst() : nil
  }

  /// Rooms are locked for as long as it takes to send a commit. Larger commits would hardly store more a second.
  private static let commitBytesMax = 1 << 20
  private static let commitRequestsMax = 1_024

  /// Sends queries whose answers are needed before a batch can be carried out. They store nothing.
  /// - Parameter then: is called with the answer, unless the batch was refused.
  func ask(
    _ statement: PostgresStatement,
    _ values: [PostgresValue],
    for batch: PostgresBatch,
    then: @escaping (PostgresRows) -> Void
  ) {
    underWay = batch
    link.send([(statement, values)]) { answer in
      self.underWay = nil
      switch answer {
      case .success(let rows): then(rows[0])
      case .failure(let failure):
        for request in batch.requests { self.reports.refuse(request, self.reports.error(failure)) }
        _ = self.link.went(answer)
      }
    }
  }

  /// Carries statements out in one transaction.
  /// - Parameter stored: called with the answers once they are committed.
  func carryOut(
    _ batch: PostgresBatch,
    _ statements: [(PostgresStatement, [PostgresValue])],
    _ stored: @escaping ([PostgresRows]) -> Void
  ) {
    underWay = batch
    link.send([(.begin, [])] + statements + [(.commit, [])]) { answer in
      switch answer {
      case .success(let rows) where rows.last?.tag == "COMMIT":
        self.underWay = nil
        self.gaveWay = 0
        stored(Array(rows.dropFirst().dropLast()))
      case .success: self.refused(batch, state: "40000", message: "the transaction was rolled back")
      case .failure(.lost):
        self.isUndecided = true
        self.reports.update { $0.following?.undecidedAppends = batch.requests.count }
      case .failure(.refused(let state, let message)): self.refused(batch, state: state, message: message)
      }
    }
  }

  // MARK: Refusals

  /// The database has stored nothing of the batch.
  private func refused(_ batch: PostgresBatch, state: String, message: String) {
    reports.update { $0.failedCommits += 1 }
    // The failed transaction is still open in the database, and must be rolled back.
    link.send([(.rollback, [])]) { answer in
      self.underWay = nil
      guard case .success = answer else { return self.refuse(batch, self.reports.presentFault) }
      let fault = self.reports.address.fault(state: state, message: message)
      let givesWay = state.hasPrefix("40") && self.gaveWay < PostgresWriting.gaveWayMax
      self.gaveWay = givesWay ? self.gaveWay + 1 : 0
      guard givesWay || PostgresWriting.isAboutWhatWasAsked(state) else {
        self.refuse(batch, fault)
        // A new connection finds out whether the database accepts writes.
        return self.link.refuse(fault)
      }
      // Either the batch was rolled back because of a conflict with another transaction, or one of its requests is at
      // fault. Sending each request alone shows which.
      guard !givesWay, batch.requests.count == 1 else { return self.singles.insert(contentsOf: batch.requests, at: 0) }
      if let room = batch.requests[0].room { self.reports.noteRefused(room, fault) }
      self.refuse(batch, fault)
    }
  }

  /// After this many conflicts in a row, other transactions can't be the reason.
  private static let gaveWayMax = 20

  /// Whether a refusal concerns the values or rows of a statement (SQLSTATE classes 22, 23, 40, 54, P0 and XX) and not
  /// the database.
  private static func isAboutWhatWasAsked(_ state: String) -> Bool {
    ["22", "23", "40", "54", "P0", "XX"].contains { state.hasPrefix($0) }
  }

  private func refuse(_ batch: PostgresBatch, _ fault: StorageFault) {
    for request in batch.requests { reports.refuse(request, .unavailable(fault)) }
  }

  // MARK: Silent nodes

  /// A node that stops in the middle of sending a batch leaves rooms locked. PostgreSQL itself would wait for the rest
  /// as long as the connection lasts, since its limits on statements and idle transactions don't count while more of
  /// one request is expected. So a node that has waited this long for other nodes' locks asks PostgreSQL to end the
  /// connections that have been silent for as long. To the silent node this looks like a broken connection.
  private static let silenceMicrosecondsMax: UInt64 = 2_000_000
  /// The pause before asking again: connections may have fallen silent after the wait began.
  private static let silenceLookMicroseconds: UInt64 = 1_000_000

  /// When to check whether silent connections block the batch under way.
  private var nextEndSilent: UInt64 {
    guard let underWay, !isUndecided else { return .max }
    return max(
      underWay.beganAt + PostgresWriting.silenceMicrosecondsMax,
      endedSilentAt + PostgresWriting.silenceLookMicroseconds
    )
  }

  private func endSilent(now: UInt64) {
    guard beside.isReady, now >= nextEndSilent else { return }
    endedSilentAt = now
    let silence = Int64(PostgresWriting.silenceMicrosecondsMax)
    beside.send([(.endSilent, [.number(Int64(link.process)), .number(silence)])]) { _ in }
  }

  // MARK: Settling

  /// The link is ready, and this writer has no other connection left. So whatever is not stored by now, of a batch that
  /// was under way when another connection broke, never will be.
  func settle() {
    guard isUndecided, let batch = underWay else { return link.becomeReady() }
    let rooms = Set(batch.requests.compactMap(\.room)).sorted()
    let appends = batch.requests.filter(\.isAppend).map(\.id).sorted()
    let values: [PostgresValue] = [
      .texts(rooms), .numbers(rooms.map { Int64(clamping: batch.known[$0] ?? 0) }),
      .number(number), .numbers(appends.map { Int64(bitPattern: $0) }),
      .number(PostgresWriting.settledPositions),
    ]
    let microseconds = PostgresWriting.settleMicroseconds
    link.send([(.settle, values), (.look, [.texts(rooms)])], within: microseconds) { answer in
      guard let rows = self.link.went(answer) else { return }
      self.underWay = nil
      self.isUndecided = false
      self.reports.update { $0.following?.undecidedAppends = 0 }
      self.link.becomeReady()
      self.settleAppends(of: batch, with: rows[0])
      if let change = batch.requests.first, !change.isAppend {
        self.settle(change, before: batch.epoch, now: rows[1].count > 0 ? rows[1].unsigned(0, 1) : nil)
      }
      self.bells.ring(for: rooms)
    }
  }

  /// How far back an append is searched for in a room that isn't followed: further than all nodes together could write
  /// to one room while a batch is undecided.
  private static let settledPositions: Int64 = 1_000_000
  /// If many rooms aren't followed, the query takes long. A short deadline would restart it for ever.
  private static let settleMicroseconds: UInt64 = 60_000_000
}
