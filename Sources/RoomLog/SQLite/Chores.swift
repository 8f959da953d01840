import Basics

/// Background work that the writing thread does in small pieces between two commits, so that commits don't wait long
/// for it.
///
/// Chores are not synced. If the process crashes, `leftOver` finds the unfinished ones. A snapshot's parts count only
/// once a commit has completed the snapshot.
struct Chores {
  var writings: [SnapshotWriting] = []
  var clearings: [Clearing] = []
  var retentions: [Retaining] = []
  /// The time of the last retention request that was carried out. At first, the time of the newest record.
  var retainedMilliseconds: UInt64 = 0
  /// Whether rows were deleted since free pages were last counted.
  var mayHaveFreePages = false
  /// Whether a part of a snapshot was written last. Then what is to be deleted has its turn, even if more is to be
  /// written. Otherwise a room that gets one snapshot after the other would fill the disk with old ones.
  var hasWritten = false

  var isEmpty: Bool { writings.isEmpty && clearings.isEmpty && retentions.isEmpty && !mayHaveFreePages }

  /// The work that an earlier process left unfinished. Also the greatest room number among rows of living and deleted
  /// rooms, which no new room may get.
  static func leftOver(
    in database: Database,
    rooms: [String: RoomEntry],
    damaged: [Int64]
  ) throws(SQLiteFailure) -> (chores: Chores, lastNumber: Int64) {
    var chores = Chores()
    chores.retainedMilliseconds = rooms.values.map(\.changedMilliseconds).max() ?? 0
    var lastNumber: Int64 = 0
    let dropped = try database.statement("SELECT room FROM dropped ORDER BY room")
    let living = Set(rooms.values.map(\.number))
    while try !dropped.isAtEnd() {
      // A damaged row can have any number, also that of a living room. New rooms need numbers after all others.
      if living.contains(dropped.integer(0)) { continue }
      chores.clearings.append(.room(dropped.integer(0)))
      if dropped.integer(0) < Chores.numbersMax { lastNumber = dropped.integer(0) }
    }
    // Rows of `dropped` can be missing, because a damaged page is passed over.
    // A damaged row of `rooms` can have another number than its room has in the index of names. Then the rows aren't in
    // the order of their numbers, so each is read.
    for query in [
      "SELECT max(room) FROM records WHERE room<\(Chores.numbersMax)",
      "SELECT max(+number) FROM rooms NOT INDEXED WHERE +number<\(Chores.numbersMax)",
    ] {
      let greatest = try database.statement(query)
      if try !greatest.isAtEnd() { lastNumber = max(lastNumber, greatest.integer(0)) }
    }
    let unfinished = try database.statement("SELECT room, position FROM snapshots WHERE complete=0")
    let mayLackBase = Set(rooms.values.filter(\.lacksBase).map(\.number) + damaged)
    while try !unfinished.isAtEnd() {
      // This may be the snapshot that such a room lacks, with a damaged mark. A room with a damaged entry may lack one.
      if mayLackBase.contains(unfinished.integer(0)) { continue }
      chores.clearings.append(.snapshot(room: unfinished.integer(0), position: unfinished.unsigned(1)))
    }
    let stale = try database.statement("SELECT 1 FROM records WHERE room=?1 AND position<=?2 LIMIT 1")
    for entry in rooms.values.sorted(by: { $0.number < $1.number }) where entry.trimmed > 0 {
      stale.bind(1, entry.number)
      stale.bind(2, entry.trimmed)
      if try !stale.isAtEnd() { chores.clearings.append(.records(room: entry.number, through: entry.trimmed)) }
      stale.reset()
    }
    return (chores, lastNumber)
  }

  private static let numbersMax: Int64 = 1 << 62
}

extension Statement {
  /// Whether there is no further row. Rows on a damaged page, and those behind it, are passed over. Nobody needs them, so
  /// they must not keep the log from opening.
  fileprivate func isAtEnd() throws(SQLiteFailure) -> Bool {
    do throws(SQLiteFailure) {
      return try !step()
    } catch {
      guard error.isDamage else { throw error }
      return true
    }
  }
}

/// A snapshot that is being written to the disk, part by part.
struct SnapshotWriting {
  var request: SnapshotRequest
  var room: Int64
  var place: SnapshotPlace
  /// Whether the same snapshot is stored already, so that this one need not be written.
  var isThere: Bool
  var bytesWritten = 0
  var parts: Int64 = 0
  var content = Checksum()

  /// The snapshot's request. The queue counts its bytes while the snapshot is in memory.
  var asRequest: LogRequest { .snapshot(request) }

  init(request: SnapshotRequest, room: Int64, place: SnapshotPlace, isThere: Bool) {
    self.request = request
    self.room = room
    self.place = place
    self.isThere = isThere
  }

  var isWritten: Bool { isThere || parts > 0 && bytesWritten == request.bytes.count }

  mutating func beginAgain() { (bytesWritten, parts, content) = (0, 0, Checksum()) }

  /// What is to be deleted of this snapshot if it isn't completed.
  var remains: Clearing { .snapshot(room: room, position: place.position) }
}

/// Rows that are no longer needed, to be deleted in the background.
enum Clearing: Hashable {
  case records(room: Int64, through: UInt64)
  case snapshot(room: Int64, position: UInt64)
  case room(Int64)
}

extension Writer {
  /// Does one piece of background work.
  func doChore() {
    guard let connection, !chores.isEmpty else { return }
    let mayWrite = !chores.hasWritten || chores.clearings.isEmpty && chores.retentions.isEmpty
    chores.hasWritten = false
    do throws(SQLiteFailure) {
      if mayWrite, let first = chores.writings.first {
        // Parts of an unfinished snapshot at the same position are deleted first. Otherwise they would be taken for
        // parts of this one.
        if let index = chores.clearings.firstIndex(of: first.remains) {
          chores.clearings.swapAt(0, index)
          try clear(connection)
        } else {
          chores.hasWritten = true
          try writePart(connection)
        }
      } else if !chores.retentions.isEmpty {
        try retain(connection)
      } else if !chores.clearings.isEmpty {
        try clear(connection)
      } else {
        try freePages(connection)
      }
    } catch {
      guard error.isDamage else { return suspend(error.fault(path: path)) }
      giveUpChore(for: error.fault(path: path))
    }
  }

  /// Damage stops the chore that has met it and nothing else: the log has all records without a snapshot, and nobody
  /// needs the pages that were to be freed.
  private func giveUpChore(for fault: StorageFault) {
    guard !chores.writings.isEmpty else {
      chores.mayHaveFreePages = false
      return
    }
    let snapshot = chores.writings.removeFirst()
    chores.clearings.append(snapshot.remains)
    queue.release([snapshot.asRequest])
    outlet.tell([.failed(id: snapshot.request.id, room: snapshot.request.room, .unavailable(fault))])
  }

  private func writePart(_ connection: WriterDatabase) throws(SQLiteFailure) {
    var writing = chores.writings[0]
    if !writing.isWritten, rooms[writing.request.room]?.number == writing.room {
      let start = writing.bytesWritten
      let end = min(start + WriterBounds.snapshotPartBytes, writing.request.bytes.count)
      let bytes = writing.request.bytes
      let part = bytes.span.extracting(start..<end)
      part.withUnsafeBytes { writing.content.add($0) }
      writing.bytesWritten = end
      writing.parts += 1
      let isFirst = start == 0
      try connection.transaction(synced: false) { () throws(SQLiteFailure) in
        if isFirst { try connection.put(writing.place, room: writing.room, content: 0) }
        let insert = connection.insertPart
        insert.bind(1, writing.room)
        insert.bind(2, writing.place.position)
        insert.bind(3, writing.parts)
        try part.withUnsafeBytes { part throws(SQLiteFailure) in try insert.run(4, bytes: part) }
        if end == bytes.count {
          // This snapshot may replace a damaged one at the same position that had more parts. The additional parts are
          // deleted.
          let delete = connection.deletePartsBehind
          delete.bind(1, writing.room)
          delete.bind(2, writing.place.position)
          delete.bind(3, writing.parts)
          try delete.run()
          try connection.put(writing.place, room: writing.room, content: writing.content.value)
        }
      }
      chores.writings[0] = writing
      guard writing.isWritten else { return }
    }
    // If the room has been deleted meanwhile, the next commit refuses the snapshot.
    completions.append(chores.writings.removeFirst())
  }

  private func clear(_ connection: WriterDatabase) throws(SQLiteFailure) {
    let clearing = chores.clearings[0]
    if clearing == chores.writings.first?.remains { chores.writings[0].beginAgain() }
    // Another snapshot may have been stored at the position since the clearing was planned.
    if case .snapshot(let room, let position) = clearing,
      try connection.isComplete(snapshotAt: position, room: room)
    {
      chores.clearings.removeFirst()
      return
    }
    let deadline = SteadyClock.microseconds() + options.clearingMicrosecondsMax
    var isDone = false
    do throws(SQLiteFailure) {
      // Each step is a transaction, so that one that meets damage takes back none of those before it.
      repeat {
        try connection.transaction(synced: false) { () throws(SQLiteFailure) in
          isDone = try connection.clearSome(of: clearing)
        }
      } while !isDone && SteadyClock.microseconds() < deadline
    } catch {
      // Rows on a damaged page can't be deleted. It does no harm that they stay.
      guard error.isDamage else { throw error }
      isDone = true
    }
    guard isDone else { return }
    chores.clearings.removeFirst()
    chores.mayHaveFreePages = true
  }

  private func freePages(_ connection: WriterDatabase) throws(SQLiteFailure) {
    let free = try connection.database.number("PRAGMA freelist_count")
    let all = try connection.database.number("PRAGMA page_count")
    guard free > WriterBounds.freePagesMax, free > all / 4 else {
      chores.mayHaveFreePages = false
      return
    }
    try connection.transaction(synced: false) { () throws(SQLiteFailure) in
      try connection.database.run("PRAGMA incremental_vacuum(\(WriterBounds.freePagesAtOnce))")
    }
    // Tries again only if pages were freed: `incremental_vacuum` frees nothing if the database was rebuilt without
    // `auto_vacuum`, for example by an operator's `VACUUM`.
    let left = try connection.database.number("PRAGMA freelist_count")
    if left >= free { chores.mayHaveFreePages = false }
  }
}

extension WriterDatabase {
  func put(_ place: SnapshotPlace, room: Int64, content: UInt64) throws(SQLiteFailure) {
    insertSnapshot.bind(1, room)
    insertSnapshot.bind(2, place.position)
    insertSnapshot.bind(3, place.milliseconds)
    insertSnapshot.bind(4, place.operations)
    insertSnapshot.bind(5, place.shapes)
    insertSnapshot.bind(6, Int64(place.byteCount))
    insertSnapshot.bind(7, content)
    insertSnapshot.bind(8, StoredRows.checksum(of: place, room: room, content: content))
    try insertSnapshot.run()
  }

  /// Deletes a limited number of the rows.
  /// - Returns: whether all of them are deleted.
  func clearSome(of clearing: Clearing) throws(SQLiteFailure) -> Bool {
    switch clearing {
    case .records(let room, let through):
      return try delete("records WHERE room=\(room) AND position<=\(Int64(bitPattern: through))", by: "position", 64)
    case .snapshot(let room, let position):
      let place = "room=\(room) AND position=\(Int64(bitPattern: position))"
      guard try delete("snapshot_parts WHERE \(place)", by: "part", 4) else { return false }
      try database.run("DELETE FROM snapshots WHERE \(place) AND complete=0")
      return true
    case .room(let room):
      guard try delete("records WHERE room=\(room)", by: "position", 64) else { return false }
      let position = try database.statement("SELECT position FROM snapshots WHERE room=\(room) LIMIT 1")
      if try position.step() {
        let snapshot = Clearing.snapshot(room: room, position: position.unsigned(0))
        position.reset()
        try database.run("UPDATE snapshots SET complete=0 WHERE room=\(room)")
        _ = try clearSome(of: snapshot)
        return false
      }
      try database.run("DELETE FROM dropped WHERE room=\(room)")
      return true
    }
  }

  /// Whether there is a complete snapshot. A row that can't be read counts as incomplete, because no room is opened from
  /// it. Not to be called in a transaction, which couldn't go on after that.
  func isComplete(snapshotAt position: UInt64, room: Int64) throws(SQLiteFailure) -> Bool {
    do throws(SQLiteFailure) {
      let place = "room=\(room) AND position=\(Int64(bitPattern: position))"
      return try database.number("SELECT complete FROM snapshots WHERE \(place)") != 0
    } catch {
      guard error.isDamage else { throw error }
      return false
    }
  }

  /// Deletes at most `count` rows, those with the lowest values of `column`, which is the last column of the table's
  /// key.
  private func delete(_ rows: String, by column: String, _ count: Int64) throws(SQLiteFailure) -> Bool {
    let first = try database.statement("SELECT \(column) FROM \(rows) ORDER BY \(column) LIMIT 1")
    guard try first.step() else { return true }
    let start = first.integer(0)
    first.reset()
    // A damaged row can have any number.
    let end = start.addingReportingOverflow(count - 1)
    try database.run("DELETE FROM \(rows) AND \(column)<=\(end.overflow ? .max : end.partialValue)")
    return false
  }
}
