/// The content of one transaction: appends, or the creation or the deletion of one room.
struct PostgresBatch {
  let requests: [LogRequest]
  let beganAt: UInt64
  /// The epoch of the room to be created or deleted, as it was before; nil where there was none.
  var epoch: UInt64?
  /// For each room to which something is appended, a position after which all of that comes.
  var known: [String: UInt64] = [:]
}

/// Storing: requests that gathered during a commit make the next one.
///
/// What always holds:
/// - One batch is under way at most.
/// - A batch with an unknown outcome is settled before the next is sent.
/// - Requests about one room are carried out in the order in which they came.
final class PostgresWriting {
  /// Names what this process writes to the database. Random, and never 0.
  let number: Int64
  private let link: PostgresLink
  /// Over this connection the database is asked to end what is in the way of a batch.
  private let beside: PostgresLink
  let reports: PostgresReports
  let following: PostgresFollowing
  let bells: PostgresBells

  private var waiting: [LogRequest] = []
  /// Those that go before, each in a transaction of its own, since the database has refused one of them.
  private var singles: [LogRequest] = []
  private var underWay: PostgresBatch?
  /// Whether the batch under way has been sent over a connection that is gone.
  private var isUndecided = false
  /// How often in a row a batch has given way to other transactions.
  private var gaveWay = 0
  /// When those were last ended that are silent and in its way.
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

  /// Whether an append has no answer yet that has been sent.
  func isUnderWay(_ append: UInt64) -> Bool { underWay?.requests.contains { $0.id == append } ?? false }

  func linkIsLost(_ fault: StorageFault) {
    let refused = singles + waiting
    singles = []
    waiting = []
    for request in refused { reports.refuse(request, .unavailable(fault)) }
  }

  /// Nothing more is stored, and what has been sent isn't waited for.
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

  /// Rooms are locked for as long as a commit takes to send. Larger ones store hardly more.
  private static let commitBytesMax = 1 << 20
  private static let commitRequestsMax = 1_024

  /// Asks what has to be known before a batch can be carried out. Nothing is stored by that.
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
  /// - Parameter stored: is called with their answers once they are committed.
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

  /// The database has taken nothing of the batch.
  private func refused(_ batch: PostgresBatch, state: String, message: String) {
    reports.update { $0.failedCommits += 1 }
    // The transaction is still open there, and takes nothing any more.
    link.send([(.rollback, [])]) { answer in
      self.underWay = nil
      guard case .success = answer else { return self.refuse(batch, self.reports.presentFault) }
      let fault = self.reports.address.fault(state: state, message: message)
      let givesWay = state.hasPrefix("40") && self.gaveWay < PostgresWriting.gaveWayMax
      self.gaveWay = givesWay ? self.gaveWay + 1 : 0
      guard givesWay || PostgresWriting.isAboutWhatWasAsked(state) else {
        self.refuse(batch, fault)
        // A new connection shows whether the database takes writes.
        return self.link.refuse(fault)
      }
      // Two transactions were in each other's way, and this one gave way. Or one request is refused, and which it is shows when
      // each is sent alone.
      guard !givesWay, batch.requests.count == 1 else { return self.singles.insert(contentsOf: batch.requests, at: 0) }
      if let room = batch.requests[0].room { self.reports.noteRefused(room, fault) }
      self.refuse(batch, fault)
    }
  }

  /// A transaction that gives way this often in a row isn't one that others are in the way of.
  private static let gaveWayMax = 20

  /// Whether a refusal is about the values or the rows that a statement concerns (SQLSTATE classes 22, 23, 40, 54, P0 and XX),
  /// and not about the database.
  private static func isAboutWhatWasAsked(_ state: String) -> Bool {
    ["22", "23", "40", "54", "P0", "XX"].contains { state.hasPrefix($0) }
  }

  private func refuse(_ batch: PostgresBatch, _ fault: StorageFault) {
    for request in batch.requests { reports.refuse(request, .unavailable(fault)) }
  }

  // MARK: Silent nodes

  /// A node that stands still while it sends a batch leaves the rooms locked to which it has sent appends. PostgreSQL itself waits
  /// for the rest as long as the connection is there: its limits on the time of statements and on idle transactions don't count
  /// while more is expected of one request. So a node that has waited for so long for others' locks asks it to end those whose
  /// nodes have said nothing for as long. To such a node that is a connection that broke.
  private static let silenceMicrosecondsMax: UInt64 = 2_000_000
  /// It asks again after this: they may have fallen silent later than it began to wait.
  private static let silenceLookMicroseconds: UInt64 = 1_000_000

  /// When to look whether others are in the way of the batch under way.
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

  /// The link is set up, and no connection of this writer but that one is left. So what is not stored by now of a batch that was under
  /// way when another connection broke never will be.
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

  /// How far back an append is looked for in a room that isn't followed: further than all nodes could write to one room
  /// while a batch is undecided.
  private static let settledPositions: Int64 = 1_000_000
  /// With many rooms that aren't followed, the query takes long. A short deadline would restart it for ever.
  private static let settleMicroseconds: UInt64 = 60_000_000
}
