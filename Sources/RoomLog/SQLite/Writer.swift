import Basics
import CSQLite

/// The log's writing thread. It stores all queued requests in one transaction with one sync, and reports them. Between
/// two commits it does some background work.
///
/// It never waits for more requests: those of the next commit arrive during a sync. So a slow disk makes commits
/// larger, and in a quiet room a record is stored at once.
///
/// If a commit fails, its appends are refused as unavailable. What is on the disk is then uncertain, above all after a
/// failed sync. So the thread closes the connection, and reopens the database. It accepts appends again when everything
/// acknowledged is there and a test write has succeeded.
final class Writer {
  let directory: String
  let options: SQLiteOptions
  let queue: RequestQueue
  let outlet: Outlet
  let shared: SharedFigures
  let path: String
  let file: FileIdentity
  private let lock: DirectoryLock

  /// `nil` while the log is unavailable.
  var connection: WriterDatabase?
  var rooms: [String: RoomEntry]
  var lastNumber: Int64
  var chores: Chores
  /// Snapshots with all parts written, which the next commit completes.
  var completions: [SnapshotWriting] = []
  /// The trims that the next commit makes.
  var trims: [RetentionTrim] = []
  private var waiting: [RequestQueue.Entry] = []
  private var nextWaiting = 0
  private var nextProbe: UInt64 = 0
  private var carryOverPages: Int32
  /// The length of the write-ahead log at which the reading thread has to wait.
  private var holdingPages: Int32
  /// The write-ahead log that the connection has open.
  private var writeAhead: FileIdentity?

  init(
    _ opened: OpenedDirectory,
    directory: String,
    options: SQLiteOptions,
    queue: RequestQueue,
    outlet: Outlet,
    shared: SharedFigures
  ) throws(StorageFault) {
    self.directory = directory
    self.options = options
    self.queue = queue
    self.outlet = outlet
    self.shared = shared
    carryOverPages = options.checkpointPages
    holdingPages = 2 * options.checkpointPages
    path = opened.path
    file = opened.file
    lock = opened.lock
    connection = opened.writer
    rooms = [:]
    lastNumber = 0
    chores = Chores()
    try takeOver(opened.rooms, damaged: opened.damaged, in: opened.writer.database)
  }

  /// Sets the state in memory from what the database has.
  private func takeOver(
    _ stored: [String: RoomEntry],
    damaged: [Int64],
    in database: Database
  ) throws(StorageFault) {
    let found = try attempt(path) { () throws(SQLiteFailure) in
      try Chores.leftOver(in: database, rooms: stored, damaged: damaged)
    }
    rooms = stored
    chores = found.chores
    // Failed commits might have stored rooms after all, so the numbers of those rooms aren't used again.
    lastNumber = max(found.lastNumber, stored.values.map(\.number).max() ?? 0)
    for entry in stored.values where damaged.contains(entry.number) {
      shared.note(.init(room: entry.name, position: 0, isHistory: false), room: entry.number)
    }
    for entry in stored.values where entry.lacksSnapshots {
      shared.noteSnapshots(areDamaged: true, room: entry.number)
    }
    writeAhead = options.files.identity(writeAheadPath)
    shared.update { $0.rooms = stored.count }
  }

  private var writeAheadPath: String { path + "-wal" }

  /// Runs until the queue is closed and empty.
  func run() {
    while turn() {}
  }

  /// Waits for something to do, and does some of it.
  /// - Returns: false when the queue is closed and empty.
  func turn() -> Bool {
    if nextWaiting == waiting.count {
      let taken = queue.take(deadline: sleepDeadline)
      waiting = taken.entries
      nextWaiting = 0
      if taken.isClosed { giveUpRetentions() }
      if taken.isClosed, waiting.isEmpty, connection == nil || !hasUnanswered {
        return false
      }
    }
    if connection == nil {
      refuseWaiting()
      if SteadyClock.microseconds() >= nextProbe { probe() }
      return true
    }
    commit(nextBatch())
    if connection != nil { carryOver() }
    if connection != nil { doChore() }
    return true
  }

  /// Whether `turn` would wait for a request.
  var isIdle: Bool { nextWaiting == waiting.count && sleepDeadline == nil }

  /// Closes the connection, and unlocks the directory. SQLite makes a checkpoint if this was the last connection.
  func letGo() {
    chores = Chores()
    connection = nil
    lock.release()
  }

  private var sleepDeadline: UInt64? {
    if connection == nil { return nextProbe }
    return chores.isEmpty && completions.isEmpty && trims.isEmpty ? nil : 0
  }

  /// Whether requests that are carried out in the background are still unanswered.
  private var hasUnanswered: Bool {
    !(chores.writings.isEmpty && completions.isEmpty && chores.retentions.isEmpty && trims.isEmpty)
  }

  /// Takes the requests of the next commit, up to its limits.
  private func nextBatch() -> [LogRequest] {
    var batch: [LogRequest] = []
    var refusals: [LogEvent] = []
    var bytes = 0
    var records = 0
    taking: while nextWaiting < waiting.count, bytes < WriterBounds.commitBytesMax,
      records < WriterBounds.commitRecordsMax
    {
      switch waiting[nextWaiting] {
      case .refused(let id, let room, let error): refusals.append(.failed(id: id, room: room, error))
      case .request(let request):
        if request.isAboutFollowing {
          // A request about following is answered at once. So the requests before it are committed and answered first.
          guard batch.isEmpty else { break taking }
          answer(following: request)
          break
        }
        bytes += request.cost
        if case .append(let append) = request { records += append.records.count }
        batch.append(request)
      }
      nextWaiting += 1
    }
    if nextWaiting == waiting.count {
      waiting = []
      nextWaiting = 0
    }
    outlet.tell(refusals)
    return batch
  }

  /// Makes a checkpoint if the write-ahead log is long enough.
  private func carryOver() {
    guard let connection else { return }
    let pages = connection.writeAheadPages
    if pages < options.checkpointPages {
      shared.holdReading(false)
      holdingPages = 2 * options.checkpointPages
    }
    guard pages >= carryOverPages else { return }
    let start = SteadyClock.microseconds()
    do throws(SQLiteFailure) {
      let isWhole = try connection.database.checkpoint(SQLITE_CHECKPOINT_PASSIVE)
      // If the log has become long, somebody reads all the time. If that is the reading thread, it waits until the log
      // begins anew. If it is another program, that doesn't help, and is only tried again at twice the length.
      if pages >= holdingPages {
        shared.holdReading(true)
        holdingPages = 2 * pages
      }
      // If the checkpoint couldn't copy all pages, the next one waits until the log has grown further.
      carryOverPages = options.checkpointPages + (isWhole || shared.isReadingHeld ? 0 : pages)
    } catch {
      return suspend(error.fault(path: path))
    }
    let took = SteadyClock.microseconds() - start
    shared.update { $0.directory?.checkpointMicroseconds.add(took) }
  }

  // MARK: Unavailable

  /// Closes the connection after a failure. `probe` reopens it once the disk works again.
  func suspend(_ fault: StorageFault) {
    if case .replaced = fault, let connection {
      // The write-ahead log might be the file that was deleted. Its data is lost when this process ends, so as much of
      // it as possible is copied into the database.
      _ = try? connection.database.checkpoint(SQLITE_CHECKPOINT_PASSIVE)
    }
    var isChange = false
    shared.update {
      isChange = $0.fault != fault
      $0.fault = fault
    }
    connection = nil
    nextProbe = SteadyClock.microseconds() + options.probeMilliseconds * 1_000
    let unwritten = completions + chores.writings
    let unretained = chores.retentions.map(\.id) + trims.compactMap(\.answer)
    completions = []
    trims = []
    chores = Chores()
    queue.release(unwritten.map(\.asRequest))
    var events = unwritten.map { LogEvent.failed(id: $0.request.id, room: $0.request.room, .unavailable(fault)) }
    events += unretained.map { LogEvent.failed(id: $0, room: nil, .unavailable(fault)) }
    if isChange { events.append(.availability(room: nil, fault)) }
    outlet.tell(events)
  }

  private func refuseWaiting() {
    guard nextWaiting < waiting.count, let fault = shared.statistics.fault else { return }
    var events: [LogEvent] = []
    var requests: [LogRequest] = []
    for entry in waiting[nextWaiting...] {
      switch entry {
      case .refused(let id, let room, let error): events.append(.failed(id: id, room: room, error))
      case .request(let request) where request.isAboutFollowing: answer(following: request)
      case .request(let request):
        events.append(.failed(id: request.id, room: request.room, .unavailable(fault)))
        requests.append(request)
      }
    }
    queue.release(requests)
    waiting = []
    nextWaiting = 0
    outlet.tell(events)
  }

  /// Tries to reopen the database. The log is available again if all acknowledged records are there and a test write
  /// succeeds.
  private func probe() {
    do throws(StorageFault) {
      try checkFiles()
      let database = try OpenedDirectory.open(path, mayCreate: false, options: options)
      let path = path
      let (writer, stored) = try attempt(path) { () throws(SQLiteFailure) in
        let writer = try WriterDatabase(database)
        try writer.renewWriteAhead()
        try writer.probe()
        return (writer, try writer.rooms())
      }
      let news = try compare(with: stored.rooms, damaged: Set(stored.damaged), in: writer)
      try takeOver(stored.rooms, damaged: stored.damaged, in: database)
      connection = writer
      shared.update { $0.fault = nil }
      outlet.tell([.availability(room: nil, nil)] + news)
    } catch {
      suspend(error)
    }
  }

  /// Checks that all acknowledged records are stored, and returns events for stored records that the log doesn't know.
  /// Such records are left by a commit that returned an error although its data reached the disk. The appends were
  /// already reported as failed, so these events have no `id`.
  ///
  /// A room with a damaged row is skipped here, and refused later.
  private func compare(
    with stored: [String: RoomEntry],
    damaged: Set<Int64>,
    in writer: WriterDatabase
  ) throws(StorageFault) -> [LogEvent] {
    var news: [LogEvent] = []
    for entry in rooms.values.sorted(by: { $0.number < $1.number }) where !damaged.contains(entry.number) {
      guard let found = stored[entry.name], found.number == entry.number else {
        // The room is missing. It may have been deleted by a commit that failed but reached the disk. Otherwise its
        // records are lost.
        guard try wasDropped(entry, in: writer) else { throw .recordsGone(path: path, room: entry.name) }
        news.append(.deleted(id: nil, room: entry.name, epoch: entry.epoch))
        continue
      }
      guard found.last >= entry.last else { throw .recordsGone(path: path, room: entry.name) }
    }
    for found in stored.values.sorted(by: { $0.number < $1.number }) {
      let known = rooms[found.name].flatMap { $0.number == found.number ? $0.last : nil } ?? 0
      guard found.last > known else { continue }
      let (records, damage) = try attempt(path) { () throws(SQLiteFailure) in
        try writer.records(of: found, after: known)
      }
      if let damage { shared.note(damageAt: damage, of: found) }
      if !records.isEmpty {
        news.append(.appended(AppendedRecords(id: nil, room: found.name, epoch: found.epoch, records: records)))
      }
    }
    return news
  }

  private func wasDropped(_ entry: RoomEntry, in writer: WriterDatabase) throws(StorageFault) -> Bool {
    try attempt(path) { () throws(SQLiteFailure) in
      try writer.database.number("SELECT count(*) FROM dropped WHERE room=\(entry.number)") > 0
    }
  }

  /// Fails if a file was deleted or replaced, because records written to it could never be read again.
  func checkFiles() throws(StorageFault) {
    guard let now = options.files.identity(path), now.isSameFile(as: file) else { throw .replaced(path: path) }
    guard isWriteAheadInPlace else { throw .replaced(path: writeAheadPath) }
  }

  private var isWriteAheadInPlace: Bool {
    guard let writeAhead else { return true }
    return options.files.identity(writeAheadPath)?.isSameFile(as: writeAhead) ?? false
  }
}

extension SharedFigures {
  /// Notes damage of a room's records. From now on, requests for the room are refused, unless a snapshot covers these
  /// records.
  func note(damageAt position: UInt64, of entry: RoomEntry) {
    let isHistory = (entry.snapshots.last?.position ?? 0) >= position
    note(Damage(room: entry.name, position: position, isHistory: isHistory), room: entry.number)
  }
}
