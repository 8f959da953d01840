import Basics

/// Sends a batch of appends as one transaction, and reports which of them are stored.
extension PostgresWriting {
  func append(_ requests: [LogRequest]) {
    var batch = PostgresBatch(requests: requests, beganAt: SteadyClock.microseconds())
    batch.known = known(to: requests)
    var statements: [(PostgresStatement, [PostgresValue])] = []
    // For each request, the range of its statements in the transaction. The answers to the statements have the same
    // indexes. For a refused request, the range is empty.
    var places: [Range<Int>] = []
    var refusals: [Int: LogError] = [:]
    for (index, request) in requests.enumerated() {
      let start = statements.count
      do throws(LogError) { statements += try self.statements(for: request) } catch { refusals[index] = error }
      places.append(start..<statements.count)
    }
    carryOut(batch, statements) { rows in self.stored(batch, rows, places, refusals) }
  }

  private func known(to requests: [LogRequest]) -> [String: UInt64] {
    var known: [String: UInt64] = [:]
    for case .append(let append) in requests {
      // If `mayCreate` is set, the append can go into a newer room of this name, whose positions begin at 1. So only 0
      // is certain to be before the append.
      let position = append.mayCreate ? 0 : following.position(in: append.room, epoch: append.epoch)
      known[append.room] = min(known[append.room] ?? position, position)
    }
    return known
  }

  private func statements(for request: LogRequest) throws(LogError) -> [(PostgresStatement, [PostgresValue])] {
    guard case .append(let append) = request else { return [] }
    try RoomEntry.check(name: append.room)
    try RoomEntry.check(append.records)
    let operations = append.records.reduce(0) { $0 + Int64($1.operations) }
    var statements: [(PostgresStatement, [PostgresValue])] = []
    if append.mayCreate {
      statements.append(
        (.create, [.text(append.room), .unsigned(append.epoch), .unsigned(append.milliseconds), .truth(append.isCopy)])
      )
    }
    statements.append(
      (
        .append,
        [
          .text(append.room), .unsigned(append.epoch), .unsigned(append.milliseconds),
          .number(Int64(append.records.count)),
          .number(operations), .truth(append.mayCreate), .numbers(append.records.map { Int64($0.operations) }),
          .numbers(append.records.map { Checksum.stored(of: $0.bytes) }), .byteStrings(append.records.map(\.bytes)),
          .number(number), .unsigned(append.id), .truth(append.isCopy), .truth(bells.lockedRooms.contains(append.room)),
        ]
      )
    )
    statements.append((.epoch, [.text(append.room)]))
    return statements
  }

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
        reports.refuse(request, refusal)
        continue
      }
      guard case .append(let append) = request else { continue }
      let answers = rows[places[index]]
      guard let stored = answers.dropLast().last, stored.count == append.records.count, stored.count > 0 else {
        let refusal = refusal(of: append, answers.last)
        if case .locked = refusal { bells.noteFound(lockOf: append.room) }
        reports.refuse(request, refusal)
        continue
      }
      reports.release(request)
      let records = append.records.enumerated().map { row, record in
        LogRecord(position: stored.natural(row, 0), milliseconds: stored.natural(row, 1), bytes: record.bytes)
      }
      report.records += records.count
      report.bytes += records.reduce(0) { $0 + $1.bytes.count }
      changed.append(append.room)
      reports.noteTaken(append.room)
      let appended = AppendedRecords(id: append.id, room: append.room, epoch: stored.unsigned(0, 2), records: records)
      following.tellStored(appended, after: batch.known[append.room] ?? 0)
    }
    report.rooms = Set(changed).count
    report.microseconds = SteadyClock.microseconds() - batch.beganAt
    reports.note(report)
    bells.ring(for: changed)
  }

  /// Why an append stored nothing. If the room is the right one, the room was locked, even if the lock has ended since.
  /// - Parameter found: the answer to `.epoch`.
  private func refusal(of append: AppendRequest, _ found: PostgresRows?) -> LogError {
    guard let found, found.count > 0 else { return .noSuchRoom(room: append.room) }
    let epoch = found.unsigned(0, 0)
    let isThisRoom = append.mayCreate || epoch == append.epoch
    return isThisRoom ? .locked(room: append.room) : .otherEpoch(room: append.room, epoch: epoch)
  }

  /// Reports the outcome of appends that were under way when the connection broke.
  /// - Parameter rows: the stored records of these appends.
  func settleAppends(of batch: PostgresBatch, with rows: PostgresRows) {
    var appends: [UInt64: AppendRequest] = [:]
    for case .append(let append) in batch.requests { appends[append.id] = append }
    var stored: [UInt64: AppendedRecords] = [:]
    for row in 0..<rows.count {
      let id = rows.unsigned(row, 0)
      guard let append = appends[id] else { continue }
      var records =
        stored[id] ?? AppendedRecords(id: id, room: rows.text(row, 1), epoch: rows.unsigned(row, 2), records: [])
      let next = records.records.count
      guard next < append.records.count else { continue }
      records.records.append(
        LogRecord(
          position: rows.natural(row, 3),
          milliseconds: rows.natural(row, 4),
          bytes: append.records[next].bytes
        )
      )
      stored[id] = records
    }
    for (id, append) in appends.sorted(by: { $0.key < $1.key }) {
      // Retention may have dropped some of an append's records already. The remaining ones can't be reported alone, so
      // the append counts as failed.
      if let records = stored[id], records.records.count == append.records.count {
        reports.release(.append(append))
        following.tellStored(records, after: batch.known[append.room] ?? 0)
      } else {
        reports.refuse(.append(append))
      }
    }
  }
}
