import CSQLite

/// An error of SQLite: its extended result code, and the system's error behind it.
struct SQLiteFailure: Error {
  var code: Int32
  var systemError: Int32
  var message: String

  /// The result code without its extension (sqlite.org/rescode.html).
  var primaryCode: Int32 { code & 0xFF }

  /// Whether the data is damaged. A broken constraint (SQLITE_CONSTRAINT) means that a row is there already which,
  /// by the entry of its room, isn't.
  var isDamage: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_CONSTRAINT].contains(primaryCode) }

  /// True if the data is damaged, another program holds the lock, or a read has failed (SQLITE_IOERR_READ). Writing can
  /// still work then.
  var isOfReading: Bool { isDamage || primaryCode == SQLITE_BUSY || code == SQLITE_IOERR | (1 << 8) }

  /// Whether the code is SQLITE_IOERR_FSYNC or SQLITE_IOERR_DIR_FSYNC. Swift can't import these macros.
  private var isSync: Bool { code == SQLITE_IOERR | (4 << 8) || code == SQLITE_IOERR | (5 << 8) }

  func fault(path: String) -> StorageFault {
    let detail = systemError == 0 ? message : "\(message), \(SystemCalls.words(for: systemError))"
    if SystemCalls.isDiskFull(systemError) { return .diskFull(path: path) }
    switch primaryCode {
    case SQLITE_FULL: return .diskFull(path: path)
    case SQLITE_READONLY: return .readOnly(path: path)
    case SQLITE_PERM, SQLITE_AUTH: return .noRight(path: path)
    case SQLITE_BUSY, SQLITE_LOCKED: return .locked(path: path)
    case SQLITE_NOTADB: return .notADatabase(path: path)
    case SQLITE_CORRUPT: return .damaged(path: path, detail: message)
    case SQLITE_NOMEM: return .outOfMemory
    case SQLITE_CANTOPEN where SystemCalls.isNoRight(systemError): return .noRight(path: path)
    case SQLITE_CANTOPEN where SystemCalls.isReadOnly(systemError): return .readOnly(path: path)
    case SQLITE_IOERR where isSync: return .syncFailed(path: path, detail: detail)
    default: return .inputOutput(path: path, detail: detail)
    }
  }
}

/// A connection to an SQLite database (sqlite.org/c3ref/sqlite3.html). Only one thread may use it at a time.
final class Database {
  private let handle: OpaquePointer

  /// - Parameter mayWrite: whether anything may be written, including checkpoints of the write-ahead log.
  /// - Parameter fileSystem: the name of one of SQLite's virtual file systems. Tests use one that fails.
  init(path: String, mayCreate: Bool, mayWrite: Bool = true, fileSystem: String?) throws(SQLiteFailure) {
    var opened: OpaquePointer?
    let access = (mayWrite ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) | (mayCreate ? SQLITE_OPEN_CREATE : 0)
    let code = sqlite3_open_v2(path, &opened, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, fileSystem)
    guard let opened else { throw SQLiteFailure(code: code, systemError: 0, message: "out of memory") }
    handle = opened
    if code != SQLITE_OK {
      throw failure(code)
    }
  }

  /// `sqlite3_close_v2` closes the connection after its last statement is freed.
  deinit { sqlite3_close_v2(handle) }

  func failure(_ code: Int32) -> SQLiteFailure {
    SQLiteFailure(
      code: code,
      systemError: sqlite3_system_errno(handle),
      message: String(cString: sqlite3_errmsg(handle))
    )
  }

  /// Runs statements that return no rows.
  func run(_ text: String) throws(SQLiteFailure) {
    let code = sqlite3_exec(handle, text, nil, nil, nil)
    if code != SQLITE_OK { throw failure(code) }
  }

  func statement(_ text: String) throws(SQLiteFailure) -> Statement {
    var prepared: OpaquePointer?
    let code = sqlite3_prepare_v3(handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let prepared else { throw failure(code) }
    return Statement(handle: prepared, database: self)
  }

  /// The first column of a query's first row, as a number.
  func number(_ text: String) throws(SQLiteFailure) -> Int64 {
    let query = try statement(text)
    return try query.step() ? query.integer(0) : 0
  }

  /// The first column of a query's first row, as text.
  func text(_ text: String) throws(SQLiteFailure) -> String {
    let query = try statement(text)
    return try query.step() ? query.text(0) : ""
  }

  /// How many rows the last statement has inserted, changed or deleted.
  var changedRows: Int32 { sqlite3_changes(handle) }

  /// Frees cached pages of the file, and other memory that isn't in use.
  func releaseMemory() { sqlite3_db_release_memory(handle) }

  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  func rollBack() {
    if isInTransaction { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
  }

  typealias CommitHook =
    @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafePointer<CChar>?, Int32) -> Int32

  /// Calls `hook` after each commit, with the number of pages in the write-ahead log.
  func onCommit(_ hook: @escaping CommitHook, _ context: UnsafeMutableRawPointer) {
    sqlite3_wal_hook(handle, hook, context)
  }

  /// Copies pages of the write-ahead log into the database, except those that a reader still needs
  /// (sqlite.org/c3ref/wal_checkpoint_v2.html).
  /// - Returns: whether all pages are in the database now. It is harmless if they aren't, because another program is
  ///   reading, or makes a checkpoint itself.
  @discardableResult
  func checkpoint(_ mode: Int32) throws(SQLiteFailure) -> Bool {
    var pages: Int32 = 0
    var carried: Int32 = 0
    let code = sqlite3_wal_checkpoint_v2(handle, nil, mode, &pages, &carried)
    guard code != SQLITE_OK else { return carried == pages }
    let failure = failure(code)
    guard failure.primaryCode == SQLITE_BUSY else { throw failure }
    return false
  }
}

extension Database {
  private func file(_ which: Int32) throws(SQLiteFailure) -> DatabaseFile {
    var file: UnsafeMutablePointer<sqlite3_file>?
    let code = sqlite3_file_control(handle, "main", which, &file)
    guard code == SQLITE_OK, let file, file.pointee.pMethods != nil else { throw failure(code) }
    return DatabaseFile(file)
  }

  /// The file of the write-ahead log. To be called in a transaction, because only then is the file certain to be open.
  func writeAheadFile() throws(SQLiteFailure) -> DatabaseFile { try file(SQLITE_FCNTL_JOURNAL_POINTER) }

  /// The number of valid frames in the write-ahead log, and the checksum of the last one
  /// (sqlite.org/walformat.html#walidxfmt). To be called in a write transaction, which keeps both from changing.
  func writeAheadIndex() throws(SQLiteFailure) -> (frames: Int, sum: (UInt32, UInt32)) {
    let start = try file(SQLITE_FCNTL_FILE_POINTER).sharedIndex()
    let number: (Int) -> UInt32 = { start.load(fromByteOffset: $0, as: UInt32.self) }
    return (Int(number(16)), (number(24), number(28)))
  }
}

/// A prepared statement. Parameters are counted from 1, and columns from 0, as in SQLite.
final class Statement {
  private let handle: OpaquePointer
  private let database: Database
  private var bindCode: Int32 = SQLITE_OK

  init(handle: OpaquePointer, database: Database) {
    self.handle = handle
    self.database = database
  }

  deinit { sqlite3_finalize(handle) }

  func bind(_ index: Int32, _ value: Int64) { note(sqlite3_bind_int64(handle, index, value)) }

  /// SQLite's integers are signed, so the 64 bits are reinterpreted.
  func bind(_ index: Int32, _ value: UInt64) { bind(index, Int64(bitPattern: value)) }

  func bind(_ index: Int32, _ value: String) {
    var value = value
    value.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        // With -1 as the destructor, SQLite copies the bytes. Otherwise they would have to stay at their address.
        let copying = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        note(sqlite3_bind_text(handle, index, characters.baseAddress, Int32(characters.count), copying))
      }
    }
  }

  /// Runs a statement that returns no rows, with `bytes` as the parameter `index`. SQLite reads the bytes without
  /// copying them.
  func run(_ index: Int32, bytes: UnsafeRawBufferPointer) throws(SQLiteFailure) {
    if let start = bytes.baseAddress, !bytes.isEmpty {
      note(sqlite3_bind_blob64(handle, index, start, UInt64(bytes.count), nil))
    } else {
      note(sqlite3_bind_zeroblob(handle, index, 0))
    }
    try run()
  }

  /// Runs a statement that returns no rows, and resets it.
  func run() throws(SQLiteFailure) {
    defer { reset() }
    while try step() {}
  }

  /// Moves on to the next row.
  /// - Returns: whether there is a next row.
  func step() throws(SQLiteFailure) -> Bool {
    guard bindCode == SQLITE_OK else { throw database.failure(bindCode) }
    let code = sqlite3_step(handle)
    switch code {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw database.failure(code)
    }
  }

  func reset() {
    sqlite3_reset(handle)
    bindCode = SQLITE_OK
  }

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  func unsigned(_ column: Int32) -> UInt64 { UInt64(bitPattern: integer(column)) }

  func text(_ column: Int32) -> String {
    guard let characters = sqlite3_column_text(handle, column) else { return "" }
    let count = Int(sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: characters, count: count), as: UTF8.self)
  }

  func bytes(_ column: Int32) -> [UInt8] {
    guard let start = sqlite3_column_blob(handle, column) else { return [] }
    return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
  }

  private func note(_ code: Int32) {
    if code != SQLITE_OK { bindCode = code }
  }
}
