/// What goes into one transaction: appends, or the creation or the deletion of one room.
struct PostgresBatch {
  let requests: [LogRequest]
  let beganAt: UInt64
  /// The epoch of the room to be created or deleted, as it was before; nil where there was none.
  var epoch: UInt64?
  /// For each room to which something is appended, a position after which all of that comes.
  var known: [String: UInt64] = [:]
}

/// Storing: what has gathered while the last commit was under way becomes the next.
extension PostgresNode {
  func goOnWriting() {
    while writer.isReady, underWay == nil, let next = takeSingle() {
      if next.isAppend { send(batch([next])) } else { change(next) }
    }
    guard writer.isReady, underWay == nil, !waitingWrites.isEmpty else { return }
    var requests: [LogRequest] = []
    var bytes = 0
    while requests.count < waitingWrites.count, waitingWrites[requests.count].isAppend,
      bytes < PostgresNode.commitBytesMax, requests.count < PostgresNode.commitRequestsMax
    {
      bytes += waitingWrites[requests.count].cost
      requests.append(waitingWrites[requests.count])
    }
    waitingWrites.removeFirst(requests.count)
    // All nodes lock rooms in the order of their names. So no two of them ever wait for each other.
    let ordered = requests.enumerated().sorted {
      ($0.element.room ?? "", $0.offset) < ($1.element.room ?? "", $1.offset)
    }
    send(batch(ordered.map(\.element)))
  }

  /// What goes into a transaction of its own.
  private func takeSingle() -> LogRequest? {
    if !singles.isEmpty { return singles.removeFirst() }
    return waitingWrites.first?.isAppend == false ? waitingWrites.removeFirst() : nil
  }

  private func batch(_ requests: [LogRequest]) -> PostgresBatch {
    var batch = PostgresBatch(requests: requests, beganAt: MonotonicClock.microseconds())
    batch.known = known(to: requests)
    return batch
  }

  private func known(to requests: [LogRequest]) -> [String: UInt64] {
    var known: [String: UInt64] = [:]
    for case .append(let append) in requests {
      // What may create a room also goes into a later room of that name, whose positions begin anew.
      let room = append.mayCreate ? nil : followed[append.room]
      let position = room?.epoch == append.epoch ? room?.reported ?? 0 : 0
      known[append.room] = min(known[append.room] ?? position, position)
    }
    return known
  }

  /// Rooms are locked for as long as a commit takes to send. Larger ones store hardly more.
  private static let commitBytesMax = 1 << 20
  private static let commitRequestsMax = 1_024

  private func send(_ batch: PostgresBatch) {
    var statements: [(PostgresStatement, [PostgresValue])] = []
    // For each request, where its answers are among those of the statements. Empty where it isn't asked at all.
    var places: [Range<Int>] = []
    var refusals: [Int: LogError] = [:]
    for (index, request) in batch.requests.enumerated() {
      let start = statements.count
      do throws(LogError) { statements += try self.statements(for: request) } catch { refusals[index] = error }
      places.append(start..<statements.count)
    }
    carryOut(batch, statements) { rows in self.stored(batch, rows, places, refusals) }
  }

  /// Carries statements out in one transaction.
  /// - Parameter stored: is called with their answers once they are committed.
  func carryOut(
    _ batch: PostgresBatch,
    _ statements: [(PostgresStatement, [PostgresValue])],
    _ stored: @escaping ([PostgresRows]) -> Void
  ) {
    underWay = batch
    writer.send([(.begin, [])] + statements + [(.commit, [])]) { answer in
      switch answer {
      case .success(let rows) where rows.last?.tag == "COMMIT":
        self.underWay = nil
        stored(Array(rows.dropFirst().dropLast()))
      case .success: self.refused(batch, .refused(state: "40000", message: "the transaction was rolled back"))
      case .failure(.lost):
        self.isUndecided = true
        self.shared.update { $0.following?.undecidedAppends = batch.requests.count }
      case .failure(let refusal): self.refused(batch, refusal)
      }
    }
  }

  private func statements(for request: LogRequest) throws(LogError) -> [(PostgresStatement, [PostgresValue])] {
    guard case .append(let append) = request else { return [] }
    try RoomEntry.check(name: append.room)
    try RoomEntry.check(append.records)
    let operations = append.records.reduce(0) { $0 + Int64($1.operations) }
    var statements: [(PostgresStatement, [PostgresValue])] = []
    if append.mayCreate {
      statements.append((.create, [.text(append.room), .unsigned(append.epoch), .unsigned(append.milliseconds)]))
    }
    statements.append(
      (
        .append,
        [
          .text(append.room), .unsigned(append.epoch), .unsigned(append.milliseconds),
          .number(Int64(append.records.count)),
          .number(operations), .truth(append.mayCreate), .numbers(append.records.map { Int64($0.operations) }),
          .numbers(append.records.map { PostgresNode.checksum($0.bytes) }), .byteStrings(append.records.map(\.bytes)),
          .number(writerNumber), .unsigned(append.id),
        ]
      )
    )
    statements.append((.epoch, [.text(append.room)]))
    return statements
  }

  static func checksum(_ bytes: [UInt8]) -> Int64 {
    var checksum = Checksum()
    checksum.add(bytes)
    return Int64(bitPattern: checksum.value)
  }

  // MARK: Answers

  private func stored(
    _ batch: PostgresBatch,
    _ rows: [PostgresRows],
    _ places: [Range<Int>],
    _ refusals: [Int: LogError]
  ) {
    var report = CommitReport(rooms: 0, records: 0, bytes: 0, microseconds: 0)
    var changed: [String] = []
    for (index, request) in batch.requests.enumerated() {
      if let refusal = refusals[index] {
        refuse(request, refusal)
        continue
      }
      guard case .append(let append) = request else { continue }
      let answers = rows[places[index]]
      guard let stored = answers.dropLast().last, stored.count == append.records.count, stored.count > 0 else {
        refuse(request, refusal(of: append, epoch: answers.last))
        continue
      }
      inbox.release(request)
      let records = append.records.enumerated().map { row, record in
        LogRecord(position: stored.unsigned(row, 0), milliseconds: stored.unsigned(row, 1), bytes: record.bytes)
      }
      report.records += records.count
      report.bytes += records.reduce(0) { $0 + $1.bytes.count }
      changed.append(append.room)
      noteTaken(append.room)
      let appended = AppendedRecords(id: append.id, room: append.room, epoch: stored.unsigned(0, 2), records: records)
      tellStored(appended, after: batch.known[append.room] ?? 0)
    }
    report.rooms = Set(changed).count
    report.microseconds = MonotonicClock.microseconds() - batch.beganAt
    note(report)
    ring(for: changed)
  }

  private func refusal(of append: AppendRequest, epoch: PostgresRows?) -> LogError {
    guard let epoch, epoch.count > 0 else { return .noSuchRoom(room: append.room) }
    return .otherEpoch(room: append.room, epoch: epoch.unsigned(0, 0))
  }

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

  /// The database has taken nothing of the batch.
  private func refused(_ batch: PostgresBatch, _ failure: PostgresFailure) {
    guard case .refused(let state, let message) = failure else { return }
    shared.update { $0.failedCommits += 1 }
    // The transaction is still open there, and takes nothing any more.
    writer.send([(.rollback, [])]) { answer in
      self.underWay = nil
      guard case .success = answer else { return self.refuse(batch, self.presentFault) }
      let fault = self.fault(state, message)
      let gaveWay = state.hasPrefix("40")
      guard gaveWay || PostgresNode.isAboutWhatWasAsked(state) else {
        self.refuse(batch, fault)
        // Whether the database takes anything is found out by connecting anew.
        return self.writer.refuse(fault)
      }
      // Two transactions were in each other's way, and this one gave way. Or one request is refused, and which it is shows when
      // each is sent alone.
      guard !gaveWay, batch.requests.count == 1 else { return self.singles.insert(contentsOf: batch.requests, at: 0) }
      if let room = batch.requests[0].room { self.noteRefused(room, fault) }
      self.refuse(batch, fault)
    }
  }

  /// Whether a refusal is about the values or the rows that a statement concerns (SQLSTATE classes 22, 23, 54, P0 and XX), and
  /// not about the database.
  private static func isAboutWhatWasAsked(_ state: String) -> Bool {
    ["22", "23", "54", "P0", "XX"].contains { state.hasPrefix($0) }
  }

  private func noteRefused(_ room: String, _ fault: StorageFault) {
    guard roomsRefused.insert(room).inserted else { return }
    tellRefusedRooms(.availability(room: room, fault))
  }

  private func noteTaken(_ room: String) {
    guard !roomsRefused.isEmpty, roomsRefused.remove(room) != nil else { return }
    tellRefusedRooms(.availability(room: room, nil))
  }

  private func tellRefusedRooms(_ event: LogEvent) {
    let count = roomsRefused.count
    shared.update { $0.following?.roomsRefused = count }
    outlet.tell([event])
  }

  private func refuse(_ batch: PostgresBatch, _ fault: StorageFault) {
    for request in batch.requests { refuse(request, .unavailable(fault)) }
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
  var nextEndSilent: UInt64 {
    guard let underWay, !isUndecided else { return .max }
    return max(
      underWay.beganAt + PostgresNode.silenceMicrosecondsMax,
      endedSilentAt + PostgresNode.silenceLookMicroseconds
    )
  }

  func endSilent(now: UInt64) {
    guard bell.isReady, now >= nextEndSilent else { return }
    endedSilentAt = now
    let silence = Int64(PostgresNode.silenceMicrosecondsMax)
    bell.send([(.endSilent, [.number(Int64(writer.process)), .number(silence)])]) { _ in }
  }

  // MARK: Settling

  /// A connection broke while a batch was under way, and no connection of this writer but this one is left. So what is not
  /// stored by now never will be.
  func settle(over link: PostgresLink) {
    guard isUndecided, let batch = underWay else { return link.becomeReady() }
    var rooms: Set<String> = []
    var appends: [UInt64: LogRequest] = [:]
    for request in batch.requests {
      if let room = request.room { rooms.insert(room) }
      if request.isAppend { appends[request.id] = request }
    }
    let names = rooms.sorted()
    let values: [PostgresValue] = [
      .texts(names), .numbers(names.map { Int64(clamping: batch.known[$0] ?? 0) }),
      .number(writerNumber), .numbers(appends.keys.sorted().map { Int64(bitPattern: $0) }),
      .number(PostgresNode.settledPositions),
    ]
    let microseconds = PostgresNode.settleMicroseconds
    link.send([(.settle, values), (.look, [.texts(names)])], within: microseconds) { answer in
      guard let rows = self.went(answer, link) else { return }
      self.underWay = nil
      self.isUndecided = false
      self.shared.update { $0.following?.undecidedAppends = 0 }
      link.becomeReady()
      self.settle(appends, of: batch, with: rows[0])
      if let change = batch.requests.first, !change.isAppend {
        self.settle(change, before: batch.epoch, now: rows[1].count > 0 ? rows[1].unsigned(0, 1) : nil)
      }
      self.ring(for: names)
    }
  }

  /// How far back an append is looked for in a room that isn't followed: further than all nodes could write to one room
  /// while a batch is undecided.
  private static let settledPositions: Int64 = 1_000_000
  /// In many rooms that aren't followed, looking takes long. Given up early, it would begin anew and never end.
  private static let settleMicroseconds: UInt64 = 60_000_000

  private func settle(_ appends: [UInt64: LogRequest], of batch: PostgresBatch, with rows: PostgresRows) {
    var stored: [UInt64: AppendedRecords] = [:]
    for row in 0..<rows.count {
      let id = rows.unsigned(row, 0)
      guard case .append(let append)? = appends[id] else { continue }
      var records =
        stored[id] ?? AppendedRecords(id: id, room: rows.text(row, 1), epoch: rows.unsigned(row, 2), records: [])
      let next = records.records.count
      guard next < append.records.count else { continue }
      records.records.append(
        LogRecord(
          position: rows.unsigned(row, 3),
          milliseconds: rows.unsigned(row, 4),
          bytes: append.records[next].bytes
        )
      )
      stored[id] = records
    }
    for (id, request) in appends.sorted(by: { $0.key < $1.key }) {
      if let records = stored[id] {
        inbox.release(request)
        tellStored(records, after: batch.known[records.room] ?? 0)
      } else {
        refuse(request)
      }
    }
  }
}
