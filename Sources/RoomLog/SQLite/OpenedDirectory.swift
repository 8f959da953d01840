import CSQLite
import Glibc

/// A data directory that is locked, checked and ready to be written.
struct OpenedDirectory {
  let lock: DirectoryLock
  let path: String
  let file: FileIdentity
  let writer: WriterDatabase
  var rooms: [String: RoomEntry]
  var damaged: [Int64]
  private(set) var secret: [UInt8] = []
  /// The files that every user of the machine had rights to. `PrivateFiles` has removed these rights.
  let openToAll: [String]

  init(directory: String, options: SQLiteOptions) throws(StorageFault) {
    let lock = try DirectoryLock(directory: directory)
    let path = directory + "/canvas.db"
    openToAll = PrivateFiles.close(in: directory)
    try OpenedDirectory.check(path, directory: directory, hadDatabase: !lock.marks.isEmpty, options.files)
    try OpenedDirectory.checkWriteAhead(path, of: lock, options)
    NewFile.prepare(path)
    var isCarriedOver = false
    do throws(StorageFault) {
      let database = try OpenedDirectory.open(path, mayCreate: true, options: options)
      try Schema.prepare(database, path: path, steps: options.schemaSteps)
      let writer = try attempt(path) { () throws(SQLiteFailure) in try WriterDatabase(database) }
      // The write-ahead log may have frames that were never synced. They are made durable first, because clients are
      // going to see what they contain.
      try attempt(path) { () throws(SQLiteFailure) in
        try writer.renewWriteAhead()
        isCarriedOver = try database.checkpoint(SQLITE_CHECKPOINT_TRUNCATE)
      }
      (rooms, damaged) = try attempt(path) { () throws(SQLiteFailure) in try writer.rooms() }
      self.writer = writer
    } catch {
      throw OpenedDirectory.named(error, path: path, options.files)
    }
    guard let file = options.files.identity(path) else { throw .replaced(path: path) }
    self.lock = lock
    self.path = path
    self.file = file
    try settleMark(options)
    guard isCarriedOver else { return }
    // From now on the mark is in the database's own file, and not in the write-ahead log. So if another database is put
    // in its place, and the write-ahead log stays, `checkWriteAhead` finds the other database's mark.
    try attempt(path) { () throws(SQLiteFailure) in _ = try writer.database.checkpoint(SQLITE_CHECKPOINT_TRUNCATE) }
  }

  static func open(
    _ path: String,
    mayCreate: Bool,
    mayWrite: Bool = true,
    options: SQLiteOptions
  ) throws(StorageFault) -> Database {
    try attempt(path) { () throws(SQLiteFailure) in
      let database = try Database(
        path: path,
        mayCreate: mayCreate,
        mayWrite: mayWrite,
        fileSystem: options.fileSystem
      )
      try database.run("PRAGMA busy_timeout=\(options.lockedMillisecondsMax)")
      return database
    }
  }

  /// Finds faults that SQLite would report less clearly, and faults that would make SQLite create a new database.
  private static func check(
    _ path: String,
    directory: String,
    hadDatabase: Bool,
    _ files: FileLook
  ) throws(StorageFault) {
    guard access(directory, R_OK | W_OK | X_OK) == 0 else {
      throw errno == EROFS ? .readOnly(path: directory) : .noRight(path: directory)
    }
    guard let file = files.identity(path) else {
      if hadDatabase { throw .missing(path: path) }
      return
    }
    let refusal = files.right(path, R_OK | W_OK)
    guard refusal == 0 else { throw refusal == EROFS ? .readOnly(path: path) : .noRight(path: path) }
    if hadDatabase, file.bytes == 0 { throw .truncated(path: path, bytes: 0, bytesExpected: 4_096) }
    if let fault = Shortfall.fault(at: path, files) { throw fault }
  }

  /// Refuses a database that was put beside the write-ahead log of the database before it. SQLite would mix the two.
  private static func checkWriteAhead(
    _ path: String,
    of lock: DirectoryLock,
    _ options: SQLiteOptions
  ) throws(StorageFault) {
    guard !lock.marks.isEmpty, options.files.identity(path + "-wal")?.bytes ?? 0 > 0 else { return }
    // This connection may not write. Otherwise it would make a checkpoint when it is closed.
    let database = try open(path, mayCreate: false, mayWrite: false, options: options)
    var isOther = false
    do throws(SQLiteFailure) {
      try database.run("BEGIN")
      defer { database.rollBack() }
      guard let mark = try mark(of: database), !lock.marks.contains(mark) else { return }
      // A write-ahead log without a commit has nothing to mix. The server leaves one if it is killed while it opens a
      // database that was put here.
      isOther = try database.writeAheadIndex().frames > 0
    } catch {
      // Opening the database for writing fails too, and reports the fault.
      return
    }
    if isOther { throw .otherWriteAhead(path: path) }
  }

  private static func mark(of database: Database) throws(SQLiteFailure) -> UInt64? {
    let query = try database.statement("SELECT value FROM marks WHERE name='directory'")
    defer { query.reset() }
    return try query.step() ? query.unsigned(0) : nil
  }

  /// Replaces a fault by `.truncated` if the file is shorter than its header says.
  static func named(_ fault: StorageFault, path: String, _ files: FileLook = FileLook()) -> StorageFault {
    switch fault {
    case .damaged, .notADatabase: break
    default: return fault
    }
    guard let file = files.identity(path), files.read(path, Shortfall.magic.count, 0) == Shortfall.magic else {
      return fault
    }
    guard let header = files.read(path, 100, 0) else {
      return .truncated(path: path, bytes: file.bytes, bytesExpected: 4_096)
    }
    let (pageBytes, pages) = Shortfall.size(header)
    let expected = pageBytes * pages
    return file.bytes < expected ? .truncated(path: path, bytes: file.bytes, bytesExpected: expected) : fault
  }

  /// Compares the database's random mark with the one that `canvas.lock` has. If they differ, somebody has put the
  /// database there, most likely from a backup. It then lacks what clients have seen since the backup was made. So each
  /// room gets a new epoch, which makes the clients' cursors invalid. The same goes for a backup of a database, once its
  /// rooms are moved: they might go back to that database, whose nodes have gone on with the rooms meanwhile.
  ///
  /// Each opening also stores a new mark, which makes earlier copies recognisable.
  private mutating func settleMark(_ options: SQLiteOptions) throws(StorageFault) {
    let random = options.random
    let writer = writer
    let lock = lock
    let damaged = damaged
    var rooms = rooms
    var secret: [UInt8] = []
    let (stored, isBackup) = try attempt(path) { () throws(SQLiteFailure) in
      (
        try OpenedDirectory.mark(of: writer.database),
        try writer.database.number("SELECT count(*) FROM marks WHERE name='backup'") > 0
      )
    }
    let purpose = options.purpose
    let isForeign = stored.map { !lock.marks.contains($0) } ?? false || isBackup && purpose == .move
    // An earlier opening might have stored a new mark without syncing it. That mark is used again. Otherwise a power
    // cut could leave any of three marks in the database.
    let unsettled = lock.marks.first == stored ? lock.marks.dropFirst().first { $0 != stored } : nil
    let mark = unsettled ?? random()
    // Before the new mark is synced, a power cut can leave either the old or the new mark in the database. So the lock
    // file lists both.
    try lock.write(marks: (isForeign ? [] : [stored].compactMap(\.self)) + [mark])
    try attempt(path) { () throws(SQLiteFailure) in
      let put = try writer.database.statement("INSERT OR REPLACE INTO marks(name, value) VALUES('directory', ?1)")
      put.bind(1, mark)
      try writer.transaction(synced: true) { () throws(SQLiteFailure) in
        try put.run()
        secret = try Secret.settle(options.secret, orOffered: options.offeredSecret, in: writer.database, random)
        switch purpose {
        case .serving: break
        case .backup: try writer.database.run("INSERT OR REPLACE INTO marks(name, value) VALUES('backup', 1)")
        case .move: try writer.database.run("DELETE FROM marks WHERE name='backup'")
        }
        guard isForeign else { return }
        for name in rooms.keys.sorted() {
          guard var entry = rooms[name], !damaged.contains(entry.number) else { continue }
          entry.epoch = random()
          try writer.put(entry)
          rooms[name] = entry
        }
      }
    }
    self.rooms = rooms
    self.secret = secret
    try lock.write(marks: [mark])
  }
}
