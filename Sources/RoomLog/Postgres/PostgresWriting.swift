import Basics

/// The requests of one transaction: any number of appends, or the creation or deletion of one room.
struct PostgresBatch {
  var requests: [LogRequest]
  let beganAt: UInt64
  /// The epoch of the room with this name before the change. `nil` if there was no such room.
  var epoch: UInt64?
  /// For each room, a log position before all records that the batch appends.
  var known: [String: UInt64] = [:]
}

/// Stores appends, and creates and deletes rooms. Requests that arrive during a commit form the next batch.
///
/// What always holds:
/// - At most one batch is under way.
/// - If a batch's outcome is unknown, it is found out before the next batch is sent.
/// - Requests for one room are carried out in the order in which they came.
/// - No batch waits long for a lock: it may hold rooms that other nodes wait for. A room that another program keeps
///   locked is set aside, and refused after a while.
final class PostgresWriting {
  /// The number by which the database tells this process from other writers. Random, never 0.
  let number: Int64
  private let link: PostgresLink
  /// A second connection. It is used to end other connections that block a batch.
  private let beside: PostgresLink
  let reports: PostgresReports
  let following: PostgresFollowing
  let bells: PostgresBells

  private var waiting: [LogRequest] = []
  /// The requests of a batch that the database has refused. One of them is at fault, so each is sent alone, before all
  /// other requests.
  private var singles: [LogRequest] = []
  private var underWay: PostgresBatch?
  /// Whether the connection broke while the batch was under way, so that the batch's outcome is unknown.
  private var isUndecided = false
  /// How many times in a row a batch was rolled back because of a conflict with another transaction.
  private var gaveWay = 0
  private var locked = LockedRooms()
  /// How many times in a row a batch has waited in vain for locks that nobody seems to keep.
  private var waitedOut = 0
  /// When to look next at the rooms that are set aside.
  private var nextLook: UInt64 = 0
  /// When this node last asked PostgreSQL to end silent connections.
  private var endedSilentAt: UInt64 = 0
  /// The PostgreSQL process that was last reported because this node waits for its lock.
  private var holderTold: Int64?

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
    .evict, .lock, .pause, .offerSecret, .secret, .settle, .look, .begin, .impatience, .commit, .rollback, .create,
    .append, .beginRoom, .epoch, .delete, .unlockDeleted, .tables, .locked,
  ]

  var isDone: Bool { underWay == nil && waiting.isEmpty && singles.isEmpty && !locked.isWaitedFor }
  /// The latest time at which to call `goOn`.
  var deadline: UInt64 {
    let look = link.isReady && underWay == nil && !locked.isEmpty ? nextLook : .max
    return min(look, beside.isReady ? nextEndSilent : .max)
  }

  func add(_ request: LogRequest) {
    guard link.isReady else { return reports.refuse(request) }
    if let room = request.room, locked.holds(room) { locked.add(request, to: room) } else { waiting.append(request) }
  }

  func isUnderWay(_ append: UInt64) -> Bool { underWay?.requests.contains { $0.id == append } ?? false }

  func linkIsLost(_ fault: StorageFault) {
    let refused = locked.takeAll() + singles + waiting
    (singles, waiting) = ([], [])
    for request in refused { reports.refuse(request, .unavailable(fault)) }
  }

  /// Refuses all waiting requests. Refuses the batch under way too, without waiting for its answer.
  func close() {
    linkIsLost(reports.presentFault)
    if let underWay { refuse(underWay, reports.presentFault) }
    underWay = nil
  }

  func goOn(now: UInt64) {
    if link.isReady, underWay == nil, !locked.isEmpty, now >= nextLook { look(after: nil) }
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
    while requests.count < waiting.count, !goesAlone(waiting[requests.count]),
      bytes < PostgresWriting.commitBytesMax, requests.count < PostgresWriting.commitRequestsMax
    {
      bytes += waiting[requests.count].cost
      requests.append(waiting[requests.count])
    }
    waiting.removeFirst(requests.count)
    // All nodes lock rooms in the order of their names, which prevents deadlocks.
    let ordered = requests.enumerated().sorted {
      ($0.element.room ?? "", $0.offset) < ($1.element.room ?? "", $1.offset)
    }
    append(ordered.map(\.element))
  }

  /// Takes the next request if it needs its own transaction.
  private func takeSingle() -> LogRequest? {
    if !singles.isEmpty { return singles.removeFirst() }
    return waiting.first.map(goesAlone) == true ? waiting.removeFirst() : nil
  }

  /// An append to a room whose last append was refused will probably be refused too, and would have a whole batch rolled
  /// back.
  private func goesAlone(_ request: LogRequest) -> Bool {
    !request.isAppend || request.room.map(reports.isRefused) == true
  }

  /// A commit has at most about this many bytes. Rooms stay locked until all of it is sent, and larger commits would
  /// hardly be faster.
  private static let commitBytesMax = 1 << 20
  private static let commitRequestsMax = 1_024

  /// Sends queries whose answers a batch needs before it can be sent.
  /// - Parameter then: is called with the answers, unless the database refused the queries.
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
        if case .refused(let state, _) = failure, PostgresFailure.isAboutWhatWasAsked(state) { return }
        _ = self.link.went(answer)
      }
    }
  }

  /// Carries out a batch's statements in one transaction.
  /// - Parameter stored: is called with the answers after the commit.
  func carryOut(
    _ batch: PostgresBatch,
    _ statements: [(PostgresStatement, [PostgresValue])],
    _ stored: @escaping ([PostgresRows]) -> Void
  ) {
    underWay = batch
    let first: [(PostgresStatement, [PostgresValue])] = [(.begin, []), (.impatience, [])]
    link.send(first + statements + [(.commit, [])]) { answer in
      switch answer {
      case .success(let rows) where rows.last?.tag == "COMMIT":
        self.underWay = nil
        self.gaveWay = 0
        self.waitedOut = 0
        for request in batch.requests { if let room = request.room { self.locked.noteAnswer(room) } }
        stored(Array(rows.dropFirst(first.count).dropLast()))
      case .success: self.refused(batch, state: "40000", message: "the transaction was rolled back")
      case .failure(.lost):
        self.isUndecided = true
        self.reports.update { $0.following?.undecidedAppends = batch.requests.count }
      case .failure(.refused(let state, let message)): self.refused(batch, state: state, message: message)
      }
    }
  }

  // MARK: Refusals

  /// Handles a batch that the database has refused as a whole.
  private func refused(_ batch: PostgresBatch, state: String, message: String) {
    let isLocked = state == PostgresFailure.lockTimeout
    if !isLocked { reports.update { $0.failedCommits += 1 } }
    // A failed transaction stays open in the database until it is rolled back.
    link.send([(.rollback, [])]) { answer in
      self.underWay = nil
      guard case .success = answer else { return self.refuse(batch, self.reports.presentFault) }
      if isLocked { return self.look(after: batch) }
      let fault = self.reports.address.fault(state: state, message: message)
      let givesWay = state.hasPrefix("40") && self.gaveWay < PostgresWriting.gaveWayMax
      self.gaveWay = givesWay ? self.gaveWay + 1 : 0
      guard givesWay || PostgresFailure.isAboutWhatWasAsked(state) else {
        self.refuse(batch, fault)
        // Gives up the connection. The next connection will check whether the database takes writes.
        return self.link.refuse(fault)
      }
      // To find the request at fault, each request of the batch is sent alone.
      guard !givesWay, batch.requests.count == 1 else { return self.singles.insert(contentsOf: batch.requests, at: 0) }
      if let room = batch.requests[0].room {
        self.locked.noteAnswer(room)
        self.reports.noteRefused(room, fault)
      }
      self.refuse(batch, fault)
    }
  }

  /// How many conflicts in a row are retried. After that, the request is refused.
  private static let gaveWayMax = 20

  private func refuse(_ batch: PostgresBatch, _ fault: StorageFault) { refuse(batch.requests, fault) }

  private func refuse(_ requests: [LogRequest], _ fault: StorageFault) {
    for request in requests { reports.refuse(request, .unavailable(fault)) }
  }

  // MARK: Locks of others

  /// Asks which rooms are locked, of those set aside and those of a batch that has waited for a lock in vain. If a whole
  /// table is locked, this waits for it, and then gives up the connection: nothing can be stored.
  private func look(after batch: PostgresBatch?) {
    let rooms = Set(locked.names + (batch?.requests.compactMap(\.room) ?? [])).sorted()
    underWay = batch ?? PostgresBatch(requests: [], beganAt: SteadyClock.microseconds())
    link.send([(.begin, []), (.tables, []), (.locked, [.texts(rooms)]), (.rollback, [])]) { answer in
      self.underWay = nil
      switch answer {
      case .success(let rows): self.take(rows[2], after: batch)
      case .failure(let failure):
        for request in batch?.requests ?? [] { self.reports.refuse(request, self.reports.error(failure)) }
        _ = self.link.went(answer)
      }
    }
  }

  /// - Parameter rows: the locked rooms, with whether the transaction that has locked a room is another node's and goes
  ///   on, and whether it waits for standbys. One that goes on is worth waiting for in the database, where the one who
  ///   came first is served first. No request is refused because of one that waits for standbys.
  private func take(_ rows: PostgresRows, after batch: PostgresBatch?) {
    let now = SteadyClock.microseconds()
    nextLook = now + PostgresWriting.lookMicroseconds
    let kept = Set((0..<rows.count).filter { !rows.truth($0, 1) }.map { rows.text($0, 0) })
    let committed = Set((0..<rows.count).filter { rows.truth($0, 2) }.map { rows.text($0, 0) })
    for room in locked.names where !kept.contains(room) {
      let released = locked.release(room)
      if released.isEmpty { reports.noteTaken(room) }
      waiting.insert(contentsOf: released, at: 0)
    }
    if let batch { sendAgain(batch.requests, without: kept, now: now) }
    for room in locked.names where locked.isDue(room, now: now) && !committed.contains(room) {
      reports.noteRefused(room, reports.address.lockFault)
      refuse(locked.takeRequests(of: room), reports.address.lockFault)
    }
  }

  /// Sees to the requests of a batch that has waited for a lock in vain.
  /// - Parameter kept: the rooms that somebody keeps locked.
  private func sendAgain(_ requests: [LogRequest], without kept: Set<String>, now: UInt64) {
    let rooms = Set(requests.compactMap(\.room))
    var aside = rooms.intersection(kept)
    for room in rooms { locked.note(room, now: now) }
    waitedOut = aside.isEmpty ? waitedOut + 1 : 0
    let isEnough = waitedOut >= PostgresWriting.waitedOutMax
    if isEnough {
      waitedOut = 0
      // The lock can't be seen: another transaction creates a room of this name, or keeps one that moves on too slowly.
      if rooms.count == 1 { aside = rooms }
    }
    var left = requests
    locked.move(aside, from: &left)
    locked.move(aside, from: &singles)
    locked.move(aside, from: &waiting)
    // Alone, each request shows whether its room is the locked one.
    if isEnough || requests.count == 1 { singles = left + singles } else { waiting = left + waiting }
  }

  /// How often to look whether rooms that are set aside are still locked.
  private static let lookMicroseconds: UInt64 = 250_000
  /// How often a batch waits in vain before its requests are sent alone, and one of them before its room is set aside.
  private static let waitedOutMax = 4

  // MARK: Silent nodes

  /// When a batch has waited this long for locks, this node lets PostgreSQL end connections that have been silent for
  /// as long.
  ///
  /// A node that stops in the middle of sending a batch leaves rooms locked. PostgreSQL's own timeouts don't apply
  /// while it expects the rest of a request. So without this limit, PostgreSQL would wait as long as the connection
  /// lasts.
  private static let silenceMicrosecondsMax: UInt64 = 2_000_000
  /// If a batch still waits after this time, silent connections of other writers are ended again, because further ones
  /// can have fallen silent meanwhile.
  private static let silenceLookMicroseconds: UInt64 = 1_000_000

  /// The next time to end silent connections, while a batch is under way or rooms are locked.
  private var nextEndSilent: UInt64 {
    let waitsSince = [isUndecided ? nil : underWay?.beganAt, locked.metAt].compactMap { $0 }.min()
    guard let waitsSince else { return .max }
    return max(
      waitsSince + PostgresWriting.silenceMicrosecondsMax,
      endedSilentAt + PostgresWriting.silenceLookMicroseconds
    )
  }

  private func endSilent(now: UInt64) {
    guard beside.isReady, now >= nextEndSilent else { return }
    endedSilentAt = now
    let process = PostgresValue.number(Int64(link.process))
    let silence = PostgresValue.number(Int64(PostgresWriting.silenceMicrosecondsMax))
    let query: (PostgresStatement, [PostgresValue]) =
      locked.isEmpty ? (.endSilent, [process, silence]) : (.endHolders, [.texts(locked.names), silence, process])
    beside.send([query]) { answer in
      if case .success(let rows) = answer { self.tellHolder(rows[0]) }
    }
  }

  /// Reports another program whose lock keeps a batch waiting.
  private func tellHolder(_ holders: PostgresRows) {
    guard let row = (0..<holders.count).first(where: { !holders.truth($0, 3) }) else { return }
    let process = holders.number(row, 0)
    guard process != holderTold else { return }
    holderTold = process
    let place = reports.address.description
    let words =
      process == 0
      ? "a transaction that is prepared for a two-phase commit (see pg_prepared_xacts)"
      : "process \(process), which is \(holders.text(row, 1)) of user \(holders.text(row, 2))"
    reports.tell([.concern("\(place): a commit waits for a lock of \(words)")])
  }

  // MARK: Settling

  /// Finds out the outcome of a batch that was under way when its connection broke. No earlier connection can store
  /// anything now. So records that are not stored yet will never be stored.
  func settle() {
    guard isUndecided, let batch = underWay else { return link.becomeReady() }
    settle(Set(batch.requests.compactMap(\.room)).sorted(), of: batch)
  }

  /// - Parameter rooms: those to settle now: all of the batch, or one after the other if the database can't read what it
  ///   has of some. The outcome of such a room's requests stays unknown.
  private func settle(_ rooms: [String], of batch: PostgresBatch) {
    var part = batch
    var rest = batch
    part.requests.removeAll { !rooms.contains($0.room ?? "") }
    rest.requests.removeAll { rooms.contains($0.room ?? "") }
    let appends = part.requests.filter(\.isAppend).map(\.id).sorted()
    let values: [PostgresValue] = [
      .texts(rooms), .numbers(rooms.map { Int64(clamping: batch.known[$0] ?? 0) }),
      .number(number), .numbers(appends.map { Int64(bitPattern: $0) }),
      .number(PostgresWriting.settledPositions),
    ]
    let microseconds = PostgresWriting.settleMicroseconds
    link.send([(.settle, values), (.look, [.texts(rooms)])], within: microseconds) { answer in
      if case .failure(let failure) = answer, failure.isDamage {
        guard rooms.count == 1 else { return self.settle([rooms[0]], of: batch) }
        self.settled(rest)
        for request in part.requests { self.reports.refuse(request, self.reports.error(failure)) }
      } else {
        guard let rows = self.link.went(answer) else { return }
        self.settled(rest)
        self.settleAppends(of: part, with: rows[0])
        if let change = part.requests.first, !change.isAppend {
          self.settle(change, before: batch.epoch, now: rows[1].count > 0 ? rows[1].unsigned(0, 1) : nil)
        }
        self.bells.ring(for: rooms)
      }
      if let next = rest.requests.compactMap(\.room).min() { self.settle([next], of: rest) }
    }
  }

  /// - Parameter rest: the part of the batch whose outcome is still unknown.
  private func settled(_ rest: PostgresBatch) {
    reports.update { $0.following?.undecidedAppends = rest.requests.count }
    underWay = rest
    guard rest.requests.isEmpty else { return }
    underWay = nil
    isUndecided = false
    link.becomeReady()
  }

  /// If a room isn't followed, an undecided append is searched for among this many of the room's last records. While a
  /// batch is undecided, all nodes together write fewer records than this to a room.
  private static let settledPositions: Int64 = 1_000_000
  /// The timeout of the search for undecided appends, which can take long if many rooms aren't followed. With a shorter
  /// timeout, the same search would be started again and again.
  private static let settleMicroseconds: UInt64 = 60_000_000
}
