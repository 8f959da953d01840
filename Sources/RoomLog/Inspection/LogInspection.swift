/// A report on all rooms of a database. The initializer reads the whole database and changes nothing. A server may be
/// using the database meanwhile.
public struct LogInspection: Sendable {
  public struct Finding: Hashable, Sendable {
    public var room: String
    public var error: LogError
    /// Whether the room can be opened despite the damage. It can if a snapshot covers the damaged records, or if the
    /// records can replace a damaged snapshot.
    public var opens: Bool
  }

  public private(set) var rooms = 0
  /// How many records the undamaged rooms have.
  public private(set) var records = 0
  /// Errors that SQLite finds in the file itself, such as in pages and indexes.
  public private(set) var faults: [String] = []
  public private(set) var findings: [Finding] = []
  /// How stored snapshots differ from the state that results from the records, as text for the operator.
  public private(set) var differences: [String] = []

  public var isSound: Bool { faults.isEmpty && findings.isEmpty && differences.isEmpty }

  /// Compares a room's snapshots with its records, and returns the differences as text. The caller provides this
  /// function, because the log can't interpret records. The function calls `answer` with `load` and `read` requests.
  public typealias Comparison = (_ room: String, _ answer: @escaping (LogRequest) -> LogEvent) -> [String]

  /// - Parameter path: the database file: `canvas.db` in a data directory, or a copy.
  public init(
    of path: String,
    options: SQLiteOptions = SQLiteOptions(),
    comparing: Comparison = { _, _ in [] }
  ) throws(StorageFault) {
    guard options.files.identity(path) != nil else { throw .missing(path: path) }
    if let fault = Shortfall.fault(at: path, options.files) { throw fault }
    do throws(StorageFault) {
      try look(path, options, comparing)
    } catch {
      throw OpenedDirectory.named(error, path: path, options.files)
    }
  }

  private static let faultsMax = 20

  /// Whether the end of the file is missing. This check is quick.
  public static func shortfall(of path: String) -> StorageFault? { Shortfall.fault(at: path) }

  private mutating func look(
    _ path: String,
    _ options: SQLiteOptions,
    _ comparing: Comparison
  ) throws(StorageFault) {
    let database = try OpenedDirectory.open(path, mayCreate: false, mayWrite: false, options: options)
    _ = try Schema.check(database, path: path)
    faults = try attempt(path) { () throws(SQLiteFailure) in
      try LogInspection.check(database) + LogInspection.recordsWithoutRoom(in: database)
    }
    var options = options
    options.readerMayWrite = false
    // `Reader` needs a queue. This one stays empty.
    let queue = RequestQueue(bytesMax: 0, snapshotBytesMax: 0)
    let reader = Reader(
      path: path,
      options: options,
      queue: queue,
      outlet: Outlet { _ in },
      shared: SharedFigures()
    )
    switch reader.answer(.list(id: 0)) {
    case .rooms(_, let summaries):
      rooms = summaries.count
      for summary in summaries { look(at: summary.room, reader, comparing) }
    case .failed(_, _, .unavailable(let fault)): throw fault
    default: break
    }
  }

  private mutating func look(at room: String, _ reader: Reader, _ comparing: Comparison) {
    switch reader.answer(.verify(id: 0, room: room)) {
    case .verified(_, _, let count):
      records += count
      differences += comparing(room) { reader.answer($0) }
    case .failed(_, _, .noSuchRoom):
      // The room was deleted after the list of rooms was read, so it doesn't count.
      rooms -= 1
    case .failed(_, _, .unavailable(let fault)): faults.append("room \(room) can't be read: \(fault)")
    case .failed(_, _, let error):
      let opens = if case .loaded = reader.answer(.load(LoadRequest(id: 0, room: room))) { true } else { false }
      findings.append(Finding(room: room, error: error, opens: opens))
    default: break
    }
  }

  /// Finds records that belong to no existing room. Records of rooms in the table `dropped` are left out: these rooms
  /// were deleted, and their records are being deleted in the background.
  private static func recordsWithoutRoom(in database: Database) throws(SQLiteFailure) -> [String] {
    let query = try database.statement(
      """
      SELECT room, count(*), max(position) FROM records
      WHERE room NOT IN (SELECT number FROM rooms) AND room NOT IN (SELECT room FROM dropped) GROUP BY room LIMIT \(faultsMax)
      """
    )
    var words: [String] = []
    do throws(SQLiteFailure) {
      while try query.step() {
        words.append("\(query.integer(1)) records up to position \(query.integer(2)) belong to no room")
      }
    } catch {
      // The integrity check has already reported this damage.
      guard error.isDamage else { throw error }
    }
    return words
  }

  /// sqlite.org/pragma.html#pragma_integrity_check
  private static func check(_ database: Database) throws(SQLiteFailure) -> [String] {
    let query = try database.statement("PRAGMA integrity_check(\(faultsMax))")
    var words: [String] = []
    do throws(SQLiteFailure) {
      while try query.step() {
        let line = query.text(0)
        if line != "ok" { words.append(line) }
      }
    } catch {
      // A damaged page can also end the check itself.
      guard error.isDamage else { throw error }
      words.append(error.message)
    }
    return words
  }
}
