import CSQLite
import Glibc

/// The log's reading thread. It has its own connection. So long reads don't delay commits, and reading works even when
/// the disk takes no writes.
final class Reader {
  private let path: String
  private let options: SQLiteOptions
  private let queue: RequestQueue
  private let outlet: Outlet
  let shared: SharedFigures
  private var statements: ReaderStatements?
  /// Whether the connection has failed, so that the next read replaces it.
  private var isDoubtful = false

  init(path: String, options: SQLiteOptions, queue: RequestQueue, outlet: Outlet, shared: SharedFigures) {
    self.path = path
    self.options = options
    self.queue = queue
    self.outlet = outlet
    self.shared = shared
  }

  /// Opens the reading connection. It must be open as long as the writer's connection, for two reasons:
  /// - When the last connection is closed, SQLite deletes the write-ahead log. So the writer's connection must never be
  ///   the last.
  /// - A connection that is opened later would recover the write-ahead log. It would then take frames of a failed
  ///   commit for committed ones.
  func connect() throws(SQLiteFailure) { _ = try connected() }

  func run() {
    while true {
      let (entries, isClosed) = queue.take(deadline: nil)
      if isClosed, entries.isEmpty { break }
      for entry in entries {
        switch entry {
        case .refused(let id, let room, let error): outlet.tell([.failed(id: id, room: room, error)])
        case .request(let request):
          giveWay()
          let event = answer(request)
          queue.release([request])
          outlet.tell([event])
        }
      }
    }
    statements = nil
  }

  /// Waits until the write-ahead log has begun anew, if it is too long.
  ///
  /// It can begin anew only at a commit during which nobody reads. So without this, a thread that always has something
  /// to read would let it grow without end.
  private func giveWay() {
    for _ in 0..<Reader.waitMillisecondsMax where shared.isReadingHeld { usleep(1_000) }
    shared.holdReading(false)
  }

  private static let waitMillisecondsMax = 1_000

  private func connected() throws(SQLiteFailure) -> ReaderStatements {
    if let statements, !isDoubtful { return statements }
    let database = try Database(
      path: path,
      mayCreate: false,
      mayWrite: options.readerMayWrite,
      fileSystem: options.fileSystem
    )
    try database.run(
      "PRAGMA busy_timeout=\(options.lockedMillisecondsMax); PRAGMA query_only=1; PRAGMA cache_size=-8192"
    )
    let made = try ReaderStatements(database)
    // A connection opens the write-ahead log only at its first read, so something is read now.
    _ = try database.number("SELECT count(*) FROM marks")
    statements = made
    isDoubtful = false
    return made
  }

  func answer(_ request: LogRequest) -> LogEvent {
    do throws(ReadingFailure) {
      let statements = try reading { () throws(SQLiteFailure) in try connected() }
      try reading { () throws(SQLiteFailure) in try statements.begin.run() }
      defer { statements.end() }
      switch request {
      case .read(let read): return .read(id: read.id, try page(read, statements))
      case .load(let load): return .loaded(id: load.id, try self.load(load, statements))
      case .verify(let id, let room):
        statements.database.releaseMemory()
        return .verified(id: id, room: room, records: try verify(room, statements))
      case .verifyPart(let request):
        // Cached pages are freed before the part is verified, so that it is read from the file. They are freed again
        // afterwards, because no other request needs them.
        statements.database.releaseMemory()
        defer { statements.database.releaseMemory() }
        return .verifiedPart(id: request.id, try verifyPart(request, statements))
      case .list(let id):
        return .rooms(id: id, try reading { () throws(SQLiteFailure) in try statements.summaries(shared) })
      default: return .failed(id: request.id, room: request.room, .noRecords)
      }
    } catch {
      switch error {
      case .refused(let refusal): return .failed(id: request.id, room: request.room, refusal)
      case .failed(let failure):
        isDoubtful = true
        return .failed(id: request.id, room: request.room, .unavailable(failure.fault(path: path)))
      }
    }
  }

  // MARK: Records

  private func page(_ request: ReadRequest, _ statements: ReaderStatements) throws(ReadingFailure) -> RecordPage {
    let entry = try room(request.room, epoch: request.epoch, statements)
    do throws(LogError) { try entry.check(position: request.after) } catch { throw .refused(error) }
    var page = RecordPage(
      room: entry.name,
      epoch: entry.epoch,
      records: [],
      through: request.after,
      isLast: true
    )
    var end = entry.last
    if case .position(let position) = request.through { end = min(end, position) }
    var bytes = 0
    try walk(entry, after: request.after, through: end, statements) { record in
      guard request.through.includes(record) else { return false }
      bytes += record.bytes.count
      page.through = record.position
      page.records.append(record)
      page.isLast = bytes < request.bytesMax || record.position == end
      return page.isLast
    }
    return page
  }

  /// Calls `body` with one record after the other, until it returns false. A gap in the positions or a wrong checksum
  /// is reported as damage.
  func walk(
    _ entry: RoomEntry,
    after: UInt64,
    through end: UInt64,
    _ statements: ReaderStatements,
    _ body: (LogRecord) -> Bool
  ) throws(ReadingFailure) {
    let row = statements.records
    defer { row.reset() }
    row.bind(1, entry.number)
    row.bind(2, after)
    var position = after
    while position < end {
      let record: LogRecord?
      do throws(SQLiteFailure) {
        record = try row.step() ? StoredRows.record(row, room: entry.number)?.record : nil
      } catch {
        guard error.isDamage else { throw .failed(error) }
        throw damaged(entry, position + 1)
      }
      guard let record, record.position == position + 1 else { throw damaged(entry, position + 1) }
      guard body(record) else { return }
      position += 1
    }
  }

  /// Marks a room as damaged. From now on, requests for the room are refused, unless a snapshot covers the damaged
  /// records.
  func damaged(_ entry: RoomEntry, _ position: UInt64) -> ReadingFailure {
    shared.note(damageAt: position, of: entry)
    return .refused(.damaged(room: entry.name, position: position))
  }

  func noteUnreadable(_ rooms: UnreadableRooms) {
    if let concern = rooms.concern(in: path) { outlet.tell([concern]) }
  }

  // MARK: Rooms and snapshots

  /// A room's entry. Throws if it is damaged.
  func room(
    _ name: String,
    epoch: UInt64?,
    _ statements: ReaderStatements
  ) throws(ReadingFailure) -> RoomEntry {
    let found: (entry: RoomEntry, isSound: Bool)?
    do throws(SQLiteFailure) { found = try statements.entry(name) } catch {
      guard error.isDamage else { throw .failed(error) }
      throw .refused(.damaged(room: name, position: 0))
    }
    guard let (entry, isSound) = found else { throw .refused(.noSuchRoom(room: name)) }
    guard isSound else {
      shared.note(.init(room: name, position: 0, isHistory: false), room: entry.number)
      throw .refused(.damaged(room: name, position: 0))
    }
    do throws(LogError) { try entry.check(epoch: epoch) } catch { throw .refused(error) }
    return entry
  }

  private func load(_ request: LoadRequest, _ statements: ReaderStatements) throws(ReadingFailure) -> LoadedRoom {
    let entry = try room(request.room, epoch: nil, statements)
    if let refusal = shared.refusal(room: entry.number) { throw .refused(refusal) }
    let summary = entry.summary()
    guard request.wantsSnapshot else { return LoadedRoom(summary: summary, snapshot: nil, base: entry.base) }
    var candidates = entry
    var damages: [LogError] = []
    if entry.lacksSnapshots { shared.noteSnapshots(areDamaged: true, room: entry.number) }
    while let place = candidates.snapshot(through: request.through), place.position >= entry.trimmed {
      if let bytes = try content(of: place, entry, statements) {
        return LoadedRoom(summary: summary, snapshot: RoomSnapshot(place: place, bytes: bytes), passedOver: damages)
      }
      // This snapshot is damaged. So the search goes on with an older snapshot, because the log still has the records
      // after that one.
      damages.append(.damagedSnapshot(room: entry.name, position: place.position))
      shared.noteSnapshots(areDamaged: true, room: entry.number)
      candidates.snapshots.removeAll { $0.position >= place.position }
    }
    if entry.trimmed > 0 {
      if damages.isEmpty, !entry.lacksSnapshots, !entry.lacksBase, request.through != .end {
        throw .refused(.trimmed(room: entry.name, through: entry.trimmed))
      }
      throw .refused(damages.first ?? .damagedSnapshot(room: entry.name, position: entry.trimmed))
    }
    return LoadedRoom(summary: summary, snapshot: nil, passedOver: damages)
  }

  /// A snapshot's bytes. `nil` if their checksum or length is wrong.
  private func content(
    of place: SnapshotPlace,
    _ entry: RoomEntry,
    _ statements: ReaderStatements
  ) throws(ReadingFailure) -> [UInt8]? {
    do throws(SQLiteFailure) {
      return try statements.content(room: entry.number, place: place)
    } catch {
      if error.isDamage { return nil }
      throw .failed(error)
    }
  }

  func reading<Result>(_ body: () throws(SQLiteFailure) -> Result) throws(ReadingFailure) -> Result {
    do throws(SQLiteFailure) { return try body() } catch { throw .failed(error) }
  }
}

enum ReadingFailure: Error {
  case refused(LogError)
  case failed(SQLiteFailure)
}
