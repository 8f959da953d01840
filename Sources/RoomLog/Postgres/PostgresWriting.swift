/// What one transaction does: it stores appends, or creates or deletes one room.
struct PostgresBatch {
  let requests: [LogRequest]
  let beganAt: UInt64
  /// The epoch that the room had before it was created or deleted. `nil` if there was no room of the name.
  var epoch: UInt64?
  /// For each room with appends, a position before all of these appends.
  var known: [String: UInt64] = [:]
}

/// Stores what is requested. Requests that arrive during a commit make up the next one.
///
/// What always holds:
/// - At most one batch is under way.
/// - If a batch's outcome is unknown, it is found out before the next batch is sent.
/// - Requests about one room are carried out in the order in which they came.
final class PostgresWriting {
  /// The number of this process as a writer in the database. It is random, and never 0.
  let number: Int64
  private let link: PostgresLink
  /// A second connection, over which the database is asked to end transactions that block a batch.
  private let beside: PostgresLink
  let reports: PostgresReports
  let following: PostgresFollowing
  let bells: PostgresBells

  private var waiting: [LogRequest] = []
  /// The requests of a batch that the database has refused because of one request. They are sent before all others,
  /// each in a transaction of its own.
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
  /// When `goOn` has to be called at the latest.
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

  /// Stores nothing more, and doesn't wait for batches that were sent.
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
    // All nodes lock rooms in the order of their names, so no two nodes ever wait for each other.
    let ordered = requests.enumerated().sorted {
      ($0.element.room ?? "", $0.offset) < ($1.element.room ?? "", $1.offset)
    }
    append(ordered.map(\.element))
  }

  /// Takes a request that needs a transaction of its own, if one is next.
  private func takeSingle() -> LogRequest? {
    if !singles.isEmpty { return singles.removeFirst() }
    return waiting.first?.isAppend == false ? waiting.removeFirst() : nil
  }

  /// The upper bound on the bytes of one commit. Rooms stay locked until the whole commit is sent, and larger commits
  /// would hardly store more in a second.
  private static let commitBytesMax = 1 << 20
  private static let commitRequestsMax = 1_024

  /// Sends queries whose answers are needed before a batch can be carried out. They store nothing.
  /// - Parameter then: is called with the answers, unless the database has refused the queries.
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
  /// - Parameter stored: is called with the answers once the transaction is committed.
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

  /// The database has refused a batch, and stored nothing of it.
  private func refused(_ batch: PostgresBatch, state: String, message: String) {
    reports.update { $0.failedCommits += 1 }
    // In the database the failed transaction is still open, so it has to be rolled back.
    link.send([(.rollback, [])]) { answer in
      self.underWay = nil
      guard case .success = answer else { return self.refuse(batch, self.reports.presentFault) }
      let fault = self.reports.address.fault(state: state, message: message)
      let givesWay = state.hasPrefix("40") && self.gaveWay < PostgresWriting.gaveWayMax
      self.gaveWay = givesWay ? self.gaveWay + 1 : 0
      guard givesWay || PostgresWriting.isAboutWhatWasAsked(state) else {
        self.refuse(batch, fault)
        // The connection is given up. When a new one is made, it shows whether the database accepts writes.
        return self.link.refuse(fault)
      }
      // The reason may be a conflict with another transaction, or one of the requests. Each request is sent alone now,
      // which shows which request is at fault.
      guard !givesWay, batch.requests.count == 1 else { return self.singles.insert(contentsOf: batch.requests, at: 0) }
      if let room = batch.requests[0].room { self.reports.noteRefused(room, fault) }
      self.refuse(batch, fault)
    }
  }

  /// How many conflicts in a row are blamed on other transactions. After that the request is refused, because something
  /// else must be the reason.
  private static let gaveWayMax = 20

  /// Whether a refusal is about a statement's values or rows (SQLSTATE classes 22, 23, 40, 54, P0 and XX), and not
  /// about the whole database.
  private static func isAboutWhatWasAsked(_ state: String) -> Bool {
    ["22", "23", "40", "54", "P0", "XX"].contains { state.hasPrefix($0) }
  }

  private func refuse(_ batch: PostgresBatch, _ fault: StorageFault) {
    for request in batch.requests { reports.refuse(request, .unavailable(fault)) }
  }

  // MARK: Silent nodes

  /// How long this node waits for other nodes' locks before it asks PostgreSQL to end connections that have been silent
  /// for as long. A node that stops in the middle of sending a batch leaves rooms locked. PostgreSQL itself would wait
  /// for the rest of the batch as long as the connection lasts: its limits on statements and idle transactions don't
  /// apply while it expects more of a request. To the silent node, the end of its connection looks like a broken
  /// network.
  private static let silenceMicrosecondsMax: UInt64 = 2_000_000
  /// The pause before PostgreSQL is asked again: other connections may have fallen silent later than the first.
  private static let silenceLookMicroseconds: UInt64 = 1_000_000

  /// When to ask next whether silent connections block the batch under way.
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

  /// The link is ready, and this writer has no other connection left. If a batch was under way when another connection
  /// broke, any part of it that is not stored by now never will be. So its outcome can be found out.
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

  /// The number of positions in which an undecided append is searched for, if its room isn't followed. All nodes
  /// together write fewer records to one room while a batch is undecided.
  private static let settledPositions: Int64 = 1_000_000
  /// How long the search for undecided appends may take. It takes long if many rooms aren't followed. With a short
  /// limit, such a search would be begun again for ever.
  private static let settleMicroseconds: UInt64 = 60_000_000
}
