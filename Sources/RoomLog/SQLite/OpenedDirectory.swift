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
  /// The files that every user of the machine could read, or more.
  let openToAll: [String]

  init(directory: String, options: SQLiteOptions) throws(StorageFault) {
    let lock = try DirectoryLock(directory: directory)
    let path = directory + "/canvas.db"
    openToAll = PrivateFiles.close(in: directory)
    try OpenedDirectory.check(path, directory: directory, hadDatabase: lock.mark != nil)
    do throws(StorageFault) {
      let database = try OpenedDirectory.open(path, options: options)
      try Schema.prepare(database, path: path, steps: options.schemaSteps)
      let writer = try attempt(path) { () throws(SQLiteFailure) in try WriterDatabase(database) }
      // What the write-ahead log holds may have been written without being synced. From now on people will be shown it,
      // so it has to be as durable as what they saw before.
      try attempt(path) { () throws(SQLiteFailure) in _ = try database.checkpoint(SQLITE_CHECKPOINT_TRUNCATE) }
      (rooms, damaged) = try attempt(path) { () throws(SQLiteFailure) in try writer.rooms() }
      self.writer = writer
    } catch {
      throw OpenedDirectory.named(error, path: path)
    }
    guard let file = SystemCalls.file(at: path) else { throw .replaced(path: path) }
    self.lock = lock
    self.path = path
    self.file = file
    try settleMark(random: options.random)
  }

  static func open(_ path: String, options: SQLiteOptions) throws(StorageFault) -> Database {
    try attempt(path) { () throws(SQLiteFailure) in
      let database = try Database(path: path, mayCreate: true, fileSystem: options.fileSystem)
      try database.run("PRAGMA busy_timeout=\(options.lockedMillisecondsMax)")
      return database
    }
  }

  /// Finds what SQLite would take for a new database, or would report less clearly.
  private static func check(_ path: String, directory: String, hadDatabase: Bool) throws(StorageFault) {
    guard access(directory, R_OK | W_OK | X_OK) == 0 else {
      throw errno == EROFS ? .readOnly(path: directory) : .noRight(path: directory)
    }
    guard let file = SystemCalls.file(at: path) else {
      if hadDatabase { throw .missing(path: path) }
      return
    }
    guard access(path, R_OK | W_OK) == 0 else {
      throw errno == EROFS ? .readOnly(path: path) : .noRight(path: path)
    }
    if hadDatabase, file.bytes == 0 { throw .truncated(path: path, bytes: 0, bytesExpected: 4_096) }
    if let fault = Shortfall.fault(at: path) { throw fault }
  }

  /// Tells a file that was cut short from one that is damaged otherwise, by the size that its header gives.
  static func named(_ fault: StorageFault, path: String) -> StorageFault {
    switch fault {
    case .damaged, .notADatabase: break
    default: return fault
    }
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return fault }
    defer { close(descriptor) }
    var header = [UInt8](repeating: 0, count: 100)
    let count = header.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    guard let file = SystemCalls.file(at: path), header.starts(with: "SQLite format 3\0".utf8) else { return fault }
    guard count == 100 else { return .truncated(path: path, bytes: file.bytes, bytesExpected: 4_096) }
    let pageBytes = Int(header[16]) << 8 | Int(header[17])
    let pages = header[28..<32].reduce(0) { $0 << 8 | Int($1) }
    let expected = (pageBytes == 1 ? 65_536 : pageBytes) * pages
    return file.bytes < expected ? .truncated(path: path, bytes: file.bytes, bytesExpected: expected) : fault
  }

  /// A database whose mark isn't the directory's was put there, most likely from a backup. It lacks what clients have
  /// seen since the backup was made, so their cursors must not be taken for places in these logs: every room gets a new
  /// epoch.
  ///
  /// Each opening leaves a new mark, so that a copy made before it can be recognised too.
  private mutating func settleMark(random: () -> UInt64) throws(StorageFault) {
    let writer = writer
    let lock = lock
    let damaged = damaged
    var rooms = rooms
    let mark = random()
    try attempt(path) { () throws(SQLiteFailure) in
      let query = try writer.database.statement("SELECT value FROM marks WHERE name='directory'")
      let stored = try query.step() ? query.unsigned(0) : nil
      query.reset()
      let put = try writer.database.statement("INSERT OR REPLACE INTO marks(name, value) VALUES('directory', ?1)")
      put.bind(1, mark)
      try writer.transaction(synced: true) { () throws(SQLiteFailure) in
        try put.run()
        guard let stored, stored != lock.mark else { return }
        for name in rooms.keys.sorted() {
          guard var entry = rooms[name], !damaged.contains(entry.number) else { continue }
          entry.epoch = random()
          try writer.put(entry)
          rooms[name] = entry
        }
      }
    }
    self.rooms = rooms
    try lock.write(mark: mark)
  }
}
