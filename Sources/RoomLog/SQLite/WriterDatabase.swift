import Basics
import CSQLite

/// The writing connection and its statements.
final class WriterDatabase {
  let database: Database
  let insertRecord: Statement
  private let putRoom: Statement
  private let dropRoomRow: Statement
  let noteDropped: Statement
  let insertSnapshot: Statement
  let insertPart: Statement
  let deletePartsBehind: Statement
  let completeSnapshot: Statement
  let retireSnapshot: Statement
  private let begin: Statement
  private let commitStatement: Statement
  private var isSynced = true
  private let pages = UnsafeMutablePointer<Int32>.allocate(capacity: 1)

  /// The number of pages in the write-ahead log at the last commit.
  var writeAheadPages: Int32 { pages.pointee }

  init(_ database: Database) throws(SQLiteFailure) {
    self.database = database
    pages.initialize(to: 0)
    // Automatic checkpoints are off, because the writing thread decides when to make them. The write-ahead log keeps
    // its file size after a checkpoint, because syncs are faster on blocks that a file already has.
    try database.run(
      """
      PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=0; PRAGMA journal_size_limit=67108864;
      PRAGMA cache_size=-8192; PRAGMA temp_store=MEMORY
      """
    )
    begin = try database.statement("BEGIN IMMEDIATE")
    commitStatement = try database.statement("COMMIT")
    insertRecord = try database.statement(
      "INSERT INTO records(room, position, milliseconds, operations, checksum, bytes) VALUES(?1, ?2, ?3, ?4, ?5, ?6)"
    )
    putRoom = try database.statement(
      """
      INSERT INTO rooms(\(StoredRows.roomColumns)) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
      ON CONFLICT(number) DO UPDATE SET epoch=?3, last=?4, trimmed=?5, operations=?6, created=?7, changed=?8, checksum=?9
      WHERE name=?2
      """
    )
    // A damaged row can have another room's name. SQLite would delete that room's entry in the index of names. With the
    // plus it takes the name from the row.
    dropRoomRow = try database.statement("DELETE FROM rooms WHERE number=?1 AND +name=?2")
    noteDropped = try database.statement("INSERT OR IGNORE INTO dropped(room) VALUES(?1)")
    insertSnapshot = try database.statement(
      """
      INSERT OR REPLACE INTO snapshots(\(StoredRows.snapshotColumns), complete)
      VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 0)
      """
    )
    insertPart = try database.statement(
      "INSERT OR REPLACE INTO snapshot_parts(room, position, part, bytes) VALUES(?1, ?2, ?3, ?4)"
    )
    deletePartsBehind = try database.statement("DELETE FROM snapshot_parts WHERE room=?1 AND position=?2 AND part>?3")
    completeSnapshot = try database.statement("UPDATE snapshots SET complete=1 WHERE room=?1 AND position=?2")
    retireSnapshot = try database.statement("UPDATE snapshots SET complete=0 WHERE room=?1 AND position=?2")
    database.onCommit(
      { pages, _, _, count in
        pages?.assumingMemoryBound(to: Int32.self).pointee = count
        return SQLITE_OK
      },
      pages
    )
  }

  deinit { pages.deallocate() }

  /// Tests whether the disk takes writes. It writes as much as a busy commit, so that it fails if only a few bytes are
  /// free.
  func probe() throws(SQLiteFailure) {
    try database.checkpoint(SQLITE_CHECKPOINT_PASSIVE)
    let put = try database.statement("INSERT OR REPLACE INTO probe(number, bytes) VALUES(1, ?1)")
    let bytes = [UInt8](repeating: 0x5A, count: WriterBounds.probeBytes)
    try transaction(synced: true) { () throws(SQLiteFailure) in
      try bytes.span.withUnsafeBytes { bytes throws(SQLiteFailure) in try put.run(1, bytes: bytes) }
    }
    try checkRecordsFit()
    try database.checkpoint(SQLITE_CHECKPOINT_PASSIVE)
  }

  func put(_ entry: RoomEntry) throws(SQLiteFailure) {
    putRoom.bind(1, entry.number)
    putRoom.bind(2, entry.name)
    putRoom.bind(3, entry.epoch)
    putRoom.bind(4, entry.last)
    putRoom.bind(5, entry.trimmed)
    putRoom.bind(6, entry.operations)
    putRoom.bind(7, entry.createdMilliseconds)
    putRoom.bind(8, entry.changedMilliseconds)
    putRoom.bind(9, StoredRows.checksum(of: entry))
    try putRoom.run()
    try checkOneRow(of: entry)
  }

  func drop(_ entry: RoomEntry) throws(SQLiteFailure) {
    dropRoomRow.bind(1, entry.number)
    dropRoomRow.bind(2, entry.name)
    try dropRoomRow.run()
    try checkOneRow(of: entry)
  }

  /// A damaged row can have another name than its room has in the index of names. It isn't written, and isn't deleted.
  private func checkOneRow(of entry: RoomEntry) throws(SQLiteFailure) {
    guard database.changedRows == 1 else {
      throw SQLiteFailure(code: SQLITE_CORRUPT, systemError: 0, message: "the entry of room \(entry.name)")
    }
  }

  func put(_ record: LogRecord, room: Int64, operations: UInt64) throws(SQLiteFailure) {
    insertRecord.bind(1, room)
    insertRecord.bind(2, record.position)
    insertRecord.bind(3, record.milliseconds)
    insertRecord.bind(4, operations)
    insertRecord.bind(5, StoredRows.checksum(of: record, room: room, operations: operations))
    try record.bytes.span.withUnsafeBytes { bytes throws(SQLiteFailure) in try insertRecord.run(6, bytes: bytes) }
  }

  func mark(_ statement: Statement, room: Int64, position: UInt64) throws(SQLiteFailure) {
    statement.bind(1, room)
    statement.bind(2, position)
    try statement.run()
  }

  /// Runs a transaction. With `synced`, it is durable when the function returns. Otherwise it becomes durable with the
  /// next synced one.
  func transaction(
    synced: Bool,
    _ body: () throws(SQLiteFailure) -> Void
  ) throws(SQLiteFailure) {
    if synced != isSynced {
      try database.run(synced ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL")
      isSynced = synced
    }
    do throws(SQLiteFailure) {
      try begin.run()
      try body()
      try commitStatement.run()
    } catch {
      database.rollBack()
      throw error
    }
  }

  /// Makes all earlier transactions durable, by a small one that is synced.
  func sync() throws(SQLiteFailure) {
    try transaction(synced: true) { () throws(SQLiteFailure) in
      try database.run("INSERT OR REPLACE INTO probe(number, bytes) VALUES(2, x'')")
    }
  }

  /// Fails if a page is damaged that all rooms need for new records. It tries a record that comes first in the index and
  /// one that comes last, so a page of the index that only some rooms need is passed over. Neither is stored.
  func checkRecordsFit() throws(SQLiteFailure) {
    for room in [Int64.min, Int64.max] {
      defer { database.rollBack() }
      do throws(SQLiteFailure) {
        try begin.run()
        return try put(LogRecord(position: 1, milliseconds: 0, bytes: []), room: room, operations: 0)
      } catch {
        guard error.isDamage else { throw error }
      }
    }
    throw SQLiteFailure(code: SQLITE_CORRUPT, systemError: 0, message: "where records are added")
  }

  // MARK: Reading what is stored

  /// All rooms by name, and the numbers of the rooms whose row is damaged.
  func rooms() throws(SQLiteFailure) -> (rooms: [String: RoomEntry], damaged: [Int64]) {
    var rooms: [String: RoomEntry] = [:]
    var damaged: [Int64] = []
    let row = try database.statement("SELECT \(StoredRows.roomColumns) FROM rooms")
    for (entry, isSound) in try StoredRows.rooms(by: row, in: database) {
      rooms[entry.name] = entry
      if !isSound { damaged.append(entry.number) }
    }
    let snapshots = try SnapshotList(database)
    let places = try snapshots.all()
    for var entry in Array(rooms.values) {
      if let places { entry.snapshots = places[entry.number] ?? [] } else { try snapshots.add(to: &entry) }
      if entry.lacksBase { try findBase(of: &entry) }
      rooms[entry.name] = entry
    }
    return (rooms, damaged)
  }

  /// Looks for the snapshot without which a trimmed room can't be opened. No checksum protects the mark that a snapshot
  /// is complete. If one with the mark of an unfinished one has all its bytes, the mark is damaged, and is mended.
  func findBase(of entry: inout RoomEntry) throws(SQLiteFailure) {
    let unfinished = try database.statement(
      "SELECT \(StoredRows.snapshotColumns) FROM snapshots WHERE room=?1 AND position>=?2 AND complete=0"
    )
    unfinished.bind(1, entry.number)
    unfinished.bind(2, entry.trimmed)
    var found: SnapshotPlace?
    do throws(SQLiteFailure) {
      while found == nil, try unfinished.step() {
        if let stored = StoredRows.snapshot(unfinished), try hasContent(of: stored) { found = stored.place }
      }
      unfinished.reset()
      guard let found else { return }
      try mark(completeSnapshot, room: entry.number, position: found.position)
      entry.insert(found)
    } catch {
      guard error.isDamage else { throw error }
    }
  }

  /// Whether a room's row can be read. It is read from the file, because cached pages can be right even if the file is
  /// damaged.
  func isSound(rowOf room: Int64) -> Bool {
    database.releaseMemory()
    do throws(SQLiteFailure) {
      let row = try database.statement("SELECT \(StoredRows.roomColumns) FROM rooms WHERE number=?1")
      row.bind(1, room)
      return try row.step() && StoredRows.room(row).isSound
    } catch {
      return false
    }
  }

  /// A room's records after `position`, up to the first missing or damaged one. `damage` is the position of that
  /// record.
  func records(
    of entry: RoomEntry,
    after position: UInt64
  ) throws(SQLiteFailure) -> (records: [LogRecord], damage: UInt64?) {
    let row = try database.statement(
      "SELECT \(StoredRows.recordColumns) FROM records WHERE room=?1 AND position>?2 ORDER BY position"
    )
    row.bind(1, entry.number)
    row.bind(2, position)
    var records: [LogRecord] = []
    var next = position + 1
    while next <= entry.last {
      do throws(SQLiteFailure) {
        guard try row.step(), let stored = StoredRows.record(row, room: entry.number), stored.record.position == next
        else { return (records, next) }
        records.append(stored.record)
      } catch {
        guard error.isDamage else { throw error }
        return (records, next)
      }
      next += 1
    }
    return (records, nil)
  }

  /// A record's time, and the number of the room's operations up to and including this record.
  func place(room: Int64, position: UInt64) throws(SQLiteFailure) -> (milliseconds: UInt64, operations: UInt64)? {
    let row = try database.statement("SELECT milliseconds, operations FROM records WHERE room=?1 AND position=?2")
    row.bind(1, room)
    row.bind(2, position)
    return try row.step() ? (row.unsigned(0), row.unsigned(1)) : nil
  }

  /// Whether a complete snapshot is undamaged. `nil` if there is no such snapshot. The snapshot is read from the file,
  /// because cached pages can be right even if the file is damaged.
  func isSound(snapshotAt position: UInt64, room: Int64) throws(SQLiteFailure) -> Bool? {
    database.releaseMemory()
    do throws(SQLiteFailure) {
      return try comparesWell(snapshotAt: position, room: room)
    } catch {
      guard error.isDamage else { throw error }
      return false
    }
  }

  private func comparesWell(snapshotAt position: UInt64, room: Int64) throws(SQLiteFailure) -> Bool? {
    let row = try database.statement(
      "SELECT \(StoredRows.snapshotColumns) FROM snapshots WHERE room=?1 AND position=?2 AND complete=1"
    )
    row.bind(1, room)
    row.bind(2, position)
    guard try row.step() else { return nil }
    guard let stored = StoredRows.snapshot(row) else { return false }
    return try hasContent(of: stored)
  }

  /// Whether the parts of a snapshot are those of which its row tells.
  private func hasContent(of stored: StoredRows.SnapshotRow) throws(SQLiteFailure) -> Bool {
    let parts = try database.statement(
      "SELECT bytes FROM snapshot_parts WHERE room=?1 AND position=?2 ORDER BY part"
    )
    parts.bind(1, stored.room)
    parts.bind(2, stored.place.position)
    var content = Checksum()
    var byteCount = 0
    while try parts.step() {
      let bytes = parts.bytes(0)
      content.add(bytes)
      byteCount += bytes.count
    }
    return byteCount == stored.place.byteCount && content.value == stored.content
  }
}
