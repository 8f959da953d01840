import CSQLite

/// The tables, and the steps that upgrade them from older versions.
enum Schema {
  /// The number in the header of our databases, `CANV`. It tells them from other programs' databases.
  static let application: Int64 = 0x4341_4E56

  /// Step `n` upgrades the tables from version `n` to `n + 1`. Version 0 is an empty database. A released step never
  /// changes: later changes are new steps.
  ///
  /// Records of all rooms are stored in one table in the order in which they arrive, with an index by room and
  /// position. So a commit for a hundred rooms writes only at the table's end. That is half as many bytes as with
  /// separate pages for each room.
  ///
  /// Records name their room by its number. A newer room of the same name gets another number, so the records of a
  /// deleted room can be deleted at any time.
  static let steps: [String] = [
    """
    CREATE TABLE marks(name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
    CREATE TABLE rooms(
      number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, epoch INTEGER NOT NULL, last INTEGER NOT NULL,
      trimmed INTEGER NOT NULL, operations INTEGER NOT NULL, created INTEGER NOT NULL, changed INTEGER NOT NULL,
      checksum INTEGER NOT NULL) STRICT;
    CREATE TABLE records(
      room INTEGER NOT NULL, position INTEGER NOT NULL, milliseconds INTEGER NOT NULL, operations INTEGER NOT NULL,
      checksum INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY(room, position)) STRICT;
    CREATE TABLE snapshots(
      room INTEGER NOT NULL, position INTEGER NOT NULL, complete INTEGER NOT NULL, milliseconds INTEGER NOT NULL,
      operations INTEGER NOT NULL, shapes INTEGER NOT NULL, length INTEGER NOT NULL, content INTEGER NOT NULL,
      checksum INTEGER NOT NULL, PRIMARY KEY(room, position)) STRICT, WITHOUT ROWID;
    CREATE TABLE snapshot_parts(
      room INTEGER NOT NULL, position INTEGER NOT NULL, part INTEGER NOT NULL, bytes BLOB NOT NULL,
      PRIMARY KEY(room, position, part)) STRICT, WITHOUT ROWID;
    CREATE TABLE dropped(room INTEGER PRIMARY KEY) STRICT;
    CREATE TABLE probe(number INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
    """
  ]

  static var newest: Int32 { Int32(steps.count) }

  /// Checks that the database is ours, and upgrades it to the newest version. Each step is a transaction of its own.
  static func prepare(_ database: Database, path: String, steps: [String]) throws(StorageFault) {
    let (version, isNew) = try check(database, path: path, newest: Int32(steps.count))
    let mode = try attempt(path) { () throws(SQLiteFailure) in
      // These settings must come before the first page is written. With `auto_vacuum=INCREMENTAL`, a database can
      // shrink after trimming without being copied.
      if isNew { try database.run("PRAGMA page_size=4096; PRAGMA auto_vacuum=INCREMENTAL") }
      return try database.text("PRAGMA journal_mode=WAL")
    }
    guard mode == "wal" else { throw .inputOutput(path: path, detail: "no write-ahead log can be kept beside it") }
    try attempt(path) { () throws(SQLiteFailure) in
      for step in version..<steps.count {
        try database.run(
          """
          BEGIN IMMEDIATE; \(steps[step])
          PRAGMA application_id=\(Schema.application); PRAGMA user_version=\(step + 1); COMMIT
          """
        )
      }
    }
  }

  /// Refuses a database of another program or of a newer server.
  /// - Returns: the version, and whether the database is empty.
  static func check(
    _ database: Database,
    path: String,
    newest: Int32 = Schema.newest
  ) throws(StorageFault) -> (version: Int, isNew: Bool) {
    let (application, version, isEmpty) = try attempt(path) { () throws(SQLiteFailure) in
      (
        try database.number("PRAGMA application_id"), try database.number("PRAGMA user_version"),
        try database.number("SELECT count(*) FROM sqlite_schema") == 0
      )
    }
    let isNew = application == 0 && version == 0 && isEmpty
    guard isNew || application == Schema.application && version > 0 else { throw .otherDatabase(path: path) }
    guard version <= Int64(newest) else {
      throw .newerSchema(path: path, version: Int32(truncatingIfNeeded: version), newestKnown: newest)
    }
    return (Int(version), isNew)
  }
}

/// Runs `body`, and turns its failure into a fault of the database at `path`.
func attempt<Result>(
  _ path: String,
  _ body: () throws(SQLiteFailure) -> Result
) throws(StorageFault) -> Result {
  do throws(SQLiteFailure) {
    return try body()
  } catch {
    throw error.fault(path: path)
  }
}
