/// The reading connection's statements. Everything in one answer is read within one transaction, as of one moment.
final class ReaderStatements {
  private let database: Database
  let begin: Statement
  let records: Statement
  private let commit: Statement
  private let room: Statement
  private let rooms: Statement
  private let snapshots: Statement
  private let newestSnapshots: Statement
  private let snapshot: Statement
  private let parts: Statement

  init(_ database: Database) throws(SQLiteFailure) {
    self.database = database
    begin = try database.statement("BEGIN")
    commit = try database.statement("COMMIT")
    room = try database.statement("SELECT \(StoredRows.roomColumns) FROM rooms WHERE name=?1")
    rooms = try database.statement("SELECT \(StoredRows.roomColumns) FROM rooms ORDER BY name")
    records = try database.statement(
      "SELECT \(StoredRows.recordColumns) FROM records WHERE room=?1 AND position>?2 ORDER BY position"
    )
    snapshots = try database.statement(
      "SELECT \(StoredRows.snapshotColumns) FROM snapshots WHERE room=?1 AND complete=1 ORDER BY position"
    )
    newestSnapshots = try database.statement(
      "SELECT \(StoredRows.snapshotColumns) FROM snapshots WHERE complete=1 ORDER BY room, position"
    )
    snapshot = try database.statement(
      "SELECT \(StoredRows.snapshotColumns) FROM snapshots WHERE room=?1 AND position=?2 AND complete=1"
    )
    parts = try database.statement("SELECT bytes FROM snapshot_parts WHERE room=?1 AND position=?2 ORDER BY part")
  }

  func end() {
    do { try commit.run() } catch { database.rollBack() }
  }

  func entry(_ name: String) throws(SQLiteFailure) -> (entry: RoomEntry, isSound: Bool)? {
    defer { room.reset() }
    room.bind(1, name)
    guard try room.step() else { return nil }
    var (entry, isSound) = StoredRows.room(room)
    defer { snapshots.reset() }
    snapshots.bind(1, entry.number)
    while try snapshots.step() {
      if let stored = StoredRows.snapshot(snapshots) { entry.snapshots.append(stored.place) }
    }
    return (entry, isSound)
  }

  func summaries(_ shared: SharedFigures) throws(SQLiteFailure) -> [RoomSummary] {
    defer {
      rooms.reset()
      newestSnapshots.reset()
    }
    var newest: [Int64: SnapshotPlace] = [:]
    while try newestSnapshots.step() {
      if let stored = StoredRows.snapshot(newestSnapshots) { newest[stored.room] = stored.place }
    }
    var summaries: [RoomSummary] = []
    while try rooms.step() {
      var (entry, isSound) = StoredRows.room(rooms)
      if let place = newest[entry.number] { entry.snapshots = [place] }
      let damage = isSound ? shared.refusal(room: entry.number) : .damaged(room: entry.name, position: 0)
      summaries.append(entry.summary(damage: damage))
    }
    return summaries
  }

  func content(room: Int64, place: SnapshotPlace) throws(SQLiteFailure) -> [UInt8]? {
    defer {
      snapshot.reset()
      parts.reset()
    }
    snapshot.bind(1, room)
    snapshot.bind(2, place.position)
    guard try snapshot.step(), let stored = StoredRows.snapshot(snapshot) else { return nil }
    parts.bind(1, room)
    parts.bind(2, place.position)
    var bytes: [UInt8] = []
    // The row's checksum covers the length, but don't trust it for an allocation: take memory as parts are found.
    while bytes.count <= place.byteCount, try parts.step() { bytes += parts.bytes(0) }
    guard bytes.count == place.byteCount, StoredRows.checksum(of: bytes) == stored.content else { return nil }
    return bytes
  }
}
