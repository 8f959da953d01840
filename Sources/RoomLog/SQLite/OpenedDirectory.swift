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
  /// The files that every user of the machine had rights to.
  let openToAll: [String]

  init(directory: String, options: SQLiteOptions) throws(StorageFault) {
    let lock = try DirectoryLock(directory: directory)
    let path = directory + "/canvas.db"
    openToAll = PrivateFiles.close(in: directory)
    try OpenedDirectory.check(path, directory: directory, hadDatabase: !lock.marks.isEmpty, options.files)
    do throws(StorageFault) {
      let database = try OpenedDirectory.open(path, mayCreate: true, options: options)
      try Schema.prepare(database, path: path, steps: options.schemaSteps)
      let writer = try attempt(path) { () throws(SQLiteFailure) in try WriterDatabase(database) }
      // The write-ahead log may have frames that were never synced. From now on clients are sent what these frames
      // contain, so the frames have to be made durable first.
      try attempt(path) { () throws(SQLiteFailure) in
        try writer.renewWriteAhead()
        do throws(SQLiteFailure) {
          _ = try database.checkpoint(SQLITE_CHECKPOINT_TRUNCATE)
        } catch {
          // Another program, such as a backup, is reading the database. So the write-ahead log keeps its length for a
          // while, which is no fault.
          guard error.primaryCode == SQLITE_BUSY else { throw error }
        }
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
  }

  static func open(_ path: String, mayCreate: Bool, options: SQLiteOptions) throws(StorageFault) -> Database {
    try attempt(path) { () throws(SQLiteFailure) in
      let database = try Database(path: path, mayCreate: mayCreate, fileSystem: options.fileSystem)
      try database.run("PRAGMA busy_timeout=\(options.lockedMillisecondsMax)")
      return database
    }
  }

  /// Finds faults that SQLite would report in less clear words, or that would make it create a new database.
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

  /// Tells a file that was cut short from other damage, by the size in the file's header.
  static func named(_ fault: StorageFault, path: String, _ files: FileLook = FileLook()) -> StorageFault {
    switch fault {
    case .damaged, .notADatabase: break
    default: return fault
    }
    let magic = Array("SQLite format 3\0".utf8)
    guard let file = files.identity(path), files.read(path, magic.count, 0) == magic else { return fault }
    guard let header = files.read(path, 100, 0) else {
      return .truncated(path: path, bytes: file.bytes, bytesExpected: 4_096)
    }
    let pageBytes = Int(header[16]) << 8 | Int(header[17])
    let pages = header[28..<32].reduce(0) { $0 << 8 | Int($1) }
    let expected = (pageBytes == 1 ? 65_536 : pageBytes) * pages
    return file.bytes < expected ? .truncated(path: path, bytes: file.bytes, bytesExpected: expected) : fault
  }

  /// Compares the database's mark with the directory's. If they differ, somebody has put the database there, most
  /// likely from a backup. Such a database lacks what clients have seen since the backup was made. Their cursors must
  /// not be taken for places in its logs, so every room gets a new epoch.
  ///
  /// Each opening stores a new mark, so that a copy that was made earlier can be recognised too.
  private mutating func settleMark(_ options: SQLiteOptions) throws(StorageFault) {
    let random = options.random
    let writer = writer
    let lock = lock
    let damaged = damaged
    var rooms = rooms
    var secret: [UInt8] = []
    let stored = try attempt(path) { () throws(SQLiteFailure) in
      let query = try writer.database.statement("SELECT value FROM marks WHERE name='directory'")
      defer { query.reset() }
      return try query.step() ? query.unsigned(0) : nil
    }
    let isForeign = stored.map { !lock.marks.contains($0) } ?? false
    // An earlier opening may have failed while it stored its mark, and a power cut may still bring back what it wrote.
    // So that opening's mark is used as the new one.
    let unsettled = lock.marks.first == stored ? lock.marks.dropFirst().first { $0 != stored } : nil
    let mark = unsettled ?? random()
    // If the power is cut between the two writes, the database has either the former mark or the new one. The directory
    // has both as valid.
    try lock.write(marks: (isForeign ? [] : [stored].compactMap(\.self)) + [mark])
    try attempt(path) { () throws(SQLiteFailure) in
      let put = try writer.database.statement("INSERT OR REPLACE INTO marks(name, value) VALUES('directory', ?1)")
      put.bind(1, mark)
      try writer.transaction(synced: true) { () throws(SQLiteFailure) in
        try put.run()
        secret = try Secret.settle(options.secret, in: writer.database, random)
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
