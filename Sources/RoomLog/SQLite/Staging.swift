extension Writer {
  /// Carries out one request in the transaction.
  func stage(
    _ request: LogRequest,
    in staging: inout Staging,
    _ connection: WriterDatabase
  ) throws(StagingFailure) {
    switch request {
    case .append(let append): try stage(append, in: &staging, connection)
    case .snapshot(let snapshot): try stage(snapshot, in: &staging, connection)
    case .trim(let trim):
      var entry = try room(trim.room, epoch: trim.epoch, in: staging)
      let candidates = entry.snapshots.filter { $0.position > entry.trimmed && $0.position <= trim.through }
      let place = try failing { () throws(SQLiteFailure) in try newestSound(of: candidates, entry, connection) }
      if let place {
        try failing { () throws(SQLiteFailure) in
          try stageTrim(&entry, to: place.position, in: &staging, connection)
        }
      }
      staging.events.append(.trimmed(id: trim.id, room: trim.room, through: entry.trimmed))
    case .delete(let id, let name):
      let entry = try room(name, epoch: nil, in: staging, evenIfDamaged: true)
      try failing { () throws(SQLiteFailure) in
        try connection.drop(entry)
        connection.noteDropped.bind(1, entry.number)
        try connection.noteDropped.run()
      }
      staging.rooms[name] = .some(nil)
      staging.repaired.append(entry.number)
      staging.clearings.append(.room(entry.number))
      staging.events.append(.deleted(id: id, room: name, epoch: entry.epoch))
    case .repair(let repair): try stage(repair, in: &staging, connection)
    case .retain(let id, let milliseconds):
      staging.retentions.append(Retaining(id: id, milliseconds: milliseconds, names: rooms.keys.sorted(by: >)))
    case .create(let create):
      try refusing { () throws(LogError) in
        try RoomEntry.check(name: create.room)
        guard staging.rooms[create.room] ?? rooms[create.room] == nil else { throw .roomExists(room: create.room) }
      }
      staging.lastNumber += 1
      staging.rooms[create.room] = RoomEntry(create, number: staging.lastNumber)
      staging.events.append(.created(id: create.id, room: create.room))
    case .lock: throw .refused(.noLocks)
    case .follow, .unfollow, .resume, .read, .load, .verify, .verifyPart, .list: break
    }
  }

  private func stage(
    _ append: AppendRequest,
    in staging: inout Staging,
    _ connection: WriterDatabase
  ) throws(StagingFailure) {
    var entry = try refusing { () throws(LogError) in
      try RoomEntry.check(append.records)
      return try self.entry(for: append, in: &staging)
    }
    var placed: [LogRecord] = []
    placed.reserveCapacity(append.records.count)
    for new in append.records {
      let record = entry.place(new, milliseconds: append.milliseconds)
      try failing { () throws(SQLiteFailure) in
        try connection.put(record, room: entry.number, operations: entry.operations)
      }
      placed.append(record)
      staging.bytes += record.bytes.count
    }
    staging.records += placed.count
    staging.rooms[append.room] = entry
    staging.events.append(
      .appended(AppendedRecords(id: append.id, room: append.room, epoch: entry.epoch, records: placed))
    )
  }

  private func entry(for append: AppendRequest, in staging: inout Staging) throws(LogError) -> RoomEntry {
    if let entry = staging.rooms[append.room] ?? rooms[append.room] {
      if !append.mayCreate { try entry.check(epoch: append.epoch) }
      if let refusal = shared.refusal(room: entry.number) { throw refusal }
      return entry
    }
    try RoomEntry.check(name: append.room)
    guard append.mayCreate else { throw .noSuchRoom(room: append.room) }
    staging.lastNumber += 1
    return RoomEntry(
      name: append.room,
      number: staging.lastNumber,
      epoch: append.epoch,
      milliseconds: append.milliseconds
    )
  }

  /// Checks a snapshot, and queues it. Its parts are written in the background, after this commit and later ones.
  private func stage(
    _ request: SnapshotRequest,
    in staging: inout Staging,
    _ connection: WriterDatabase
  ) throws(StagingFailure) {
    let entry = try room(request.room, epoch: request.epoch, in: staging, evenIfDamaged: true)
    guard shared.damage(room: entry.number)?.position != 0 else {
      throw .refused(.damaged(room: request.room, position: 0))
    }
    try refusing { () throws(LogError) in try entry.check(position: request.position) }
    let number = entry.number
    let at = try failing { () throws(SQLiteFailure) in try self.place(request.position, of: entry, connection) }
    let earlier = entry.snapshots.first { $0.position == request.position }
    let place = SnapshotPlace(of: request, last: at, earlier: earlier)
    var isThere = earlier != nil
    if isThere, shared.hasDamagedSnapshot(room: number) {
      isThere = try failing { () throws(SQLiteFailure) in
        try connection.isSound(snapshotAt: request.position, room: number) == true
      }
    }
    staging.writings.append(SnapshotWriting(request: request, room: number, place: place, isThere: isThere))
  }

  /// A record's time, and the number of the room's operations up to and including this record. A damaged record counts
  /// as the last one, because it is among those that the snapshot is about to replace. The last one isn't read for the
  /// same reason.
  private func place(
    _ position: UInt64,
    of entry: RoomEntry,
    _ connection: WriterDatabase
  ) throws(SQLiteFailure) -> (milliseconds: UInt64, operations: UInt64)? {
    // A room that was taken over from another log has no record there.
    let last = (entry.changedMilliseconds, entry.operations)
    if position == entry.last, position > entry.trimmed { return last }
    do throws(SQLiteFailure) {
      return try connection.place(room: entry.number, position: position)
    } catch {
      guard error.isDamage else { throw error }
      return last
    }
  }

  /// Completes a snapshot. From now on the room is opened from it, and the records that it covers may be dropped.
  func complete(
    _ snapshot: SnapshotWriting,
    in staging: inout Staging,
    _ connection: WriterDatabase
  ) throws(SQLiteFailure) {
    let request = snapshot.request
    guard var entry = staging.rooms[request.room] ?? rooms[request.room], entry.number == snapshot.room else {
      staging.events.append(.failed(id: request.id, room: request.room, .noSuchRoom(room: request.room)))
      return
    }
    // While the snapshot was being written, the room may have been trimmed past it, or cut before it.
    do throws(LogError) {
      try entry.check(epoch: request.epoch)
      try entry.check(position: request.position)
    } catch {
      staging.events.append(.failed(id: request.id, room: request.room, error))
      staging.clearings.append(snapshot.remains)
      return
    }
    try connection.mark(connection.completeSnapshot, room: entry.number, position: request.position)
    entry.insert(snapshot.place)
    try retireNeedless(of: &entry, in: &staging, connection)
    staging.rooms[request.room] = entry
    staging.covered.append((entry.number, request.position))
    staging.events.append(.snapshotted(id: request.id, room: request.room, position: request.position))
  }

  func stageTrim(
    _ entry: inout RoomEntry,
    to position: UInt64,
    in staging: inout Staging,
    _ connection: WriterDatabase
  ) throws(SQLiteFailure) {
    guard position > entry.trimmed else { return }
    entry.trimmed = position
    staging.clearings.append(.records(room: entry.number, through: position))
    try retireNeedless(of: &entry, in: &staging, connection)
    staging.rooms[entry.name] = entry
  }

  private func retireNeedless(
    of entry: inout RoomEntry,
    in staging: inout Staging,
    _ connection: WriterDatabase
  ) throws(SQLiteFailure) {
    for place in entry.needlessSnapshots(by: options.retention) {
      try connection.mark(connection.retireSnapshot, room: entry.number, position: place.position)
      entry.snapshots.removeAll { $0.position == place.position }
      staging.clearings.append(.snapshot(room: entry.number, position: place.position))
    }
  }

  /// The room as it is after the changes of this transaction so far.
  func room(
    _ name: String,
    epoch: UInt64?,
    in staging: Staging,
    evenIfDamaged: Bool = false
  ) throws(StagingFailure) -> RoomEntry {
    try refusing { () throws(LogError) in
      guard let entry = staging.rooms[name] ?? rooms[name] else { throw .noSuchRoom(room: name) }
      try entry.check(epoch: epoch)
      if !evenIfDamaged, let refusal = shared.refusal(room: entry.number) { throw refusal }
      return entry
    }
  }

  func refusing<Result>(_ body: () throws(LogError) -> Result) throws(StagingFailure) -> Result {
    do throws(LogError) { return try body() } catch { throw .refused(error) }
  }

  func failing<Result>(_ body: () throws(SQLiteFailure) -> Result) throws(StagingFailure) -> Result {
    do throws(SQLiteFailure) { return try body() } catch { throw .failed(error) }
  }
}
