import Basics
import CSQLite

/// The changes that a transaction makes. They are applied to the state in memory when the transaction is durable.
struct Staging {
  /// The changed rooms in their new state. `nil` for a deleted room.
  var rooms: [String: RoomEntry?] = [:]
  var lastNumber: Int64
  var events: [LogEvent] = []
  var clearings: [Clearing] = []
  var retentions: [Retaining] = []
  var writings: [SnapshotWriting] = []
  var records = 0
  var bytes = 0
  /// The numbers of rooms that were repaired or deleted. Stored reports of damage in these rooms are dropped.
  var repaired: [Int64] = []
  /// The snapshots that this transaction completes.
  var covered: [(room: Int64, position: UInt64)] = []
  /// Stored rooms that could not be written, because a page where they have rows is damaged.
  var damaged: [(room: Int64, SharedFigures.Damage)] = []

  init(lastNumber: Int64) { self.lastNumber = lastNumber }

  /// Adds the changes of a step that began with the state of this value.
  fileprivate mutating func add(_ step: Staging) {
    rooms.merge(step.rooms) { $1 }
    lastNumber = step.lastNumber
    events += step.events
    clearings += step.clearings
    retentions += step.retentions
    writings += step.writings
    records += step.records
    bytes += step.bytes
    repaired += step.repaired
    covered += step.covered
  }
}

/// Why a request can't be carried out. `.refused` concerns this request alone, `.failed` the whole transaction.
enum StagingFailure: Error {
  case refused(LogError)
  case failed(SQLiteFailure)
}

/// One of the things that a transaction does. Each concerns one room at most.
private enum Step {
  case request(LogRequest)
  case completion(SnapshotWriting)
  case trim(RetentionTrim)

  var room: String? {
    switch self {
    case .request(let request): request.room
    case .completion(let snapshot): snapshot.request.room
    case .trim(.room(let entry, _)): entry.name
    case .trim(.done): nil
    }
  }
}

extension Writer {
  /// Stores a batch of requests in one transaction, and reports the results.
  func commit(_ batch: [LogRequest]) {
    guard !batch.isEmpty || !completions.isEmpty || !trims.isEmpty else { return }
    let start = SteadyClock.microseconds()
    do throws(StorageFault) {
      let staging = try store(batch.map(Step.request) + completions.map(Step.completion) + trims.map(Step.trim))
      let took = SteadyClock.microseconds() - start
      queue.release(completions.map(\.asRequest))
      queue.release(batch)
      completions = []
      trims = []
      adopt(staging, microseconds: took)
    } catch {
      shared.update { $0.failedCommits += 1 }
      queue.release(batch)
      let refusals = batch.map { LogEvent.failed(id: $0.id, room: $0.room, .unavailable(error)) }
      suspend(error)
      outlet.tell(refusals)
    }
  }

  /// If something on the disk is damaged, everything is tried again step by step, and only what meets the damage is
  /// refused.
  private func store(_ steps: [Step]) throws(StorageFault) -> Staging {
    guard let connection else { return Staging(lastNumber: lastNumber) }
    try checkFiles()
    do throws(SQLiteFailure) {
      return try store(steps, connection)
    } catch {
      guard error.isDamage else { throw error.fault(path: path) }
    }
    return try attempt(path) { () throws(SQLiteFailure) in try storeOneByOne(steps, connection) }
  }

  private func store(_ steps: [Step], _ connection: WriterDatabase) throws(SQLiteFailure) -> Staging {
    var staging = Staging(lastNumber: lastNumber)
    try connection.transaction(synced: true) { () throws(SQLiteFailure) in
      for step in steps { try carryOut(step, in: &staging, connection) }
      // The rooms are written in the order of their numbers, so that the same requests always write the same pages.
      for entry in staging.rooms.values.compactMap(\.self).sorted(by: { $0.number < $1.number }) {
        try connection.put(entry)
      }
    }
    return staging
  }

  /// Carries out each step in a transaction of its own, and syncs them all at the end. A savepoint wouldn't do, because
  /// SQLite writes nothing more in a transaction that has met damage.
  private func storeOneByOne(_ steps: [Step], _ connection: WriterDatabase) throws(SQLiteFailure) -> Staging {
    var staging = Staging(lastNumber: lastNumber)
    var hasRefusedRecords = false
    for step in steps {
      var alone = Staging(lastNumber: staging.lastNumber)
      if let room = step.room, let known = staging.rooms[room] { alone.rooms.updateValue(known, forKey: room) }
      var isRoomNext = false
      do throws(SQLiteFailure) {
        if case .request(.snapshot) = step {
          // It only reads, and needs no record that is damaged. In a transaction it couldn't go on after that.
          try carryOut(step, in: &alone, connection)
        } else {
          try connection.transaction(synced: false) { () throws(SQLiteFailure) in
            try carryOut(step, in: &alone, connection)
            isRoomNext = true
            if let room = step.room, let entry = alone.rooms[room] ?? nil { try connection.put(entry) }
          }
        }
        staging.add(alone)
      } catch {
        guard error.isDamage else { throw error }
        if case .request(.append) = step { hasRefusedRecords = true }
        refuse(step, for: error, isAboutRoom: isRoomNext, in: &staging, connection)
      }
    }
    if hasRefusedRecords, staging.records == 0 { try connection.checkRecordsFit() }
    try connection.sync()
    return staging
  }

  private func carryOut(
    _ step: Step,
    in staging: inout Staging,
    _ connection: WriterDatabase
  ) throws(SQLiteFailure) {
    switch step {
    case .request(let request):
      do throws(StagingFailure) {
        try stage(request, in: &staging, connection)
      } catch {
        switch error {
        case .refused(let refusal):
          staging.events.append(.failed(id: request.id, room: request.room, refusal))
        case .failed(let failure): throw failure
        }
      }
    case .completion(let snapshot): try complete(snapshot, in: &staging, connection)
    case .trim(let trim): try stage(trim, in: &staging, connection)
    }
  }

  /// Refuses a step that has met damage. A stored room to which nothing can be added counts as damaged from now on. It
  /// doesn't if its own row is sound, and only a page beside is damaged: then it can be read, and often written.
  /// - Parameter isAboutRoom: whether the room's own row can't be written.
  private func refuse(
    _ step: Step,
    for failure: SQLiteFailure,
    isAboutRoom: Bool,
    in staging: inout Staging,
    _ connection: WriterDatabase
  ) {
    var error = LogError.unavailable(failure.fault(path: path))
    switch step {
    case .request(let request):
      if case .append(let append) = request, let entry = staging.rooms[append.room] ?? rooms[append.room],
        rooms[append.room]?.number == entry.number, !isAboutRoom || !connection.isSound(rowOf: entry.number)
      {
        let position = isAboutRoom || failure.primaryCode == SQLITE_CONSTRAINT ? 0 : entry.last &+ 1
        let damage = SharedFigures.Damage(room: entry.name, position: position, isHistory: false)
        staging.damaged.append((entry.number, damage))
        error = damage.error
      }
      staging.events.append(.failed(id: request.id, room: request.room, error))
    case .completion(let snapshot):
      staging.events.append(.failed(id: snapshot.request.id, room: snapshot.request.room, error))
      staging.clearings.append(snapshot.remains)
    case .trim: break
    }
  }

  /// Applies the changes of a durable transaction to the state in memory, and reports them.
  private func adopt(_ staging: Staging, microseconds: UInt64) {
    lastNumber = staging.lastNumber
    for (name, entry) in staging.rooms {
      if let entry, let former = rooms[name], former.trimmed < entry.trimmed {
        shared.clearDamage(room: entry.number, through: entry.trimmed)
      }
      rooms[name] = entry
    }
    for number in staging.repaired { shared.clearDamage(room: number) }
    for (number, position) in staging.covered { shared.cover(room: number, through: position) }
    for (number, damage) in staging.damaged { shared.note(damage, room: number) }
    chores.clearings += staging.clearings
    chores.retentions += staging.retentions
    // These snapshots stay in memory until their parts are written, so the queue goes on counting their bytes.
    queue.retain(staging.writings.map(\.asRequest))
    chores.writings += staging.writings
    let report = CommitReport(
      rooms: staging.rooms.count,
      records: staging.records,
      bytes: staging.bytes,
      microseconds: microseconds
    )
    let count = rooms.count
    shared.update { figures in
      figures.rooms = count
      guard report.rooms > 0 else { return }
      figures.commits += 1
      figures.records += UInt64(report.records)
      figures.bytes += UInt64(report.bytes)
      figures.commitMicroseconds.add(microseconds)
      figures.batchRecords.add(UInt64(report.records))
    }
    outlet.tell(report.rooms > 0 ? staging.events + [.committed(report)] : staging.events)
  }
}
