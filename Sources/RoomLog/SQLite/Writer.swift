import CSQLite

/// The log's writing thread. It stores all requests in the queue, for all rooms in one transaction with one sync, and
/// reports them. Between two commits it does a little of the work that can wait.
///
/// The thread never waits for more requests: the requests of the next commit arrive while the last one is synced. So a
/// slow disk makes commits larger, and in a quiet room a record is stored at once.
///
/// If a commit fails, its appends are refused as unavailable. It is then uncertain what the disk has, above all after a
/// failed sync, so the connection is given up. Before the log accepts another append, the thread reopens the database,
/// compares it with what was acknowledged, and tries to write.
final class Writer {
  let directory: String
  let options: SQLiteOptions
  let queue: RequestQueue
  let outlet: Outlet
  let shared: SharedFigures
  let path: String
  let file: FileIdentity
  private let lock: DirectoryLock

  /// The writing connection. `nil` while the log is unavailable.
  var connection: WriterDatabase?
  var rooms: [String: RoomEntry]
  var lastNumber: Int64
  var chores: Chores
  /// Snapshots whose parts are all written. The next commit completes them.
  var completions: [SnapshotWriting] = []
  /// The tasks of retention for the next commit.
  var trims: [RetentionTrim] = []
  private var waiting: [RequestQueue.Entry] = []
  private var nextWaiting = 0
  private var nextProbe: UInt64 = 0
  private var carryOverPages: Int32
  /// The identity of the write-ahead log that the connection has open.
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
    path = opened.path
    file = opened.file
    lock = opened.lock
    connection = opened.writer
    rooms = [:]
    lastNumber = 0
    chores = Chores()
    try takeOver(opened.rooms, damaged: opened.damaged, in: opened.writer.database)
  }

  /// Takes what is stored as the current state.
  private func takeOver(
    _ stored: [String: RoomEntry],
    damaged: [Int64],
    in database: Database
  ) throws(StorageFault) {
    let found = try attempt(path) { () throws(SQLiteFailure) in try Chores.leftOver(in: database, rooms: stored) }
    rooms = stored
    chores = found.chores
    // Failed commits may have stored rooms all the same. So the numbers that these commits gave to rooms are not used
    // again.
    lastNumber = max(found.lastNumber, stored.values.map(\.number).max() ?? 0)
    for entry in stored.values where damaged.contains(entry.number) {
      shared.note(.init(room: entry.name, position: 0, isHistory: false), room: entry.number)
    }
    writeAhead = options.files.identity(writeAheadPath)
    shared.update { $0.rooms = stored.count }
  }

  private var writeAheadPath: String { path + "-wal" }

  /// Runs until the queue is closed and empty.
  func run() {
    while turn() {}
  }

  /// Waits for something to do, and does a part of it.
  /// - Returns: false once the queue is closed and empty.
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
      if MonotonicClock.microseconds() >= nextProbe { probe() }
      return true
    }
    commit(nextBatch())
    if connection != nil { carryOver() }
    if connection != nil { doChore() }
    return true
  }

  /// Whether the next turn has nothing to do unless a request arrives.
  var isIdle: Bool { nextWaiting == waiting.count && sleepDeadline == nil }

  /// Closes the connection and unlocks the directory. If it is the last connection, SQLite copies the write-ahead log
  /// into the database.
  func letGo() {
    chores = Chores()
    connection = nil
    lock.release()
  }

  private var sleepDeadline: UInt64? {
    if connection == nil { return nextProbe }
    return chores.isEmpty && completions.isEmpty && trims.isEmpty ? nil : 0
  }

  /// Whether there are requests that were taken from the queue and haven't been answered.
  private var hasUnanswered: Bool {
    !(chores.writings.isEmpty && completions.isEmpty && chores.retentions.isEmpty && trims.isEmpty)
  }

  /// Takes as many of the waiting requests as fit into one commit.
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
          // This request has to be answered after the requests before it, so those are committed first.
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

  /// Copies the write-ahead log into the database, if it is long enough.
  private func carryOver() {
    guard let connection, connection.writeAheadPages >= carryOverPages else { return }
    let start = MonotonicClock.microseconds()
    do throws(SQLiteFailure) {
      let result = try connection.database.checkpoint(SQLITE_CHECKPOINT_PASSIVE)
      // If a reader still needs some of the pages, not all can be copied. The next copy then waits until the log is
      // longer by as much, instead of being tried after each commit.
      carryOverPages = options.checkpointPages + (result.carried < result.pages ? result.pages : 0)
    } catch {
      return suspend(error.fault(path: path))
    }
    let took = MonotonicClock.microseconds() - start
    shared.update { $0.directory?.checkpointMicroseconds.add(took) }
  }

  // MARK: Unavailable

  /// Stops storing, until `probe` finds that the disk works again.
  func suspend(_ fault: StorageFault) {
    if case .replaced = fault, let connection {
      // The file may have been removed. Its data can be read until this process ends, and is then lost. So as much of
      // the write-ahead log as possible is copied into the database.
      _ = try? connection.database.checkpoint(SQLITE_CHECKPOINT_PASSIVE)
    }
    var isChange = false
    shared.update {
      isChange = $0.fault != fault
      $0.fault = fault
    }
    connection = nil
    nextProbe = MonotonicClock.microseconds() + options.probeMilliseconds * 1_000
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

  /// Reopens the database. If it has everything that was acknowledged, and can be written, the log is available again.
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

  /// Checks that all acknowledged records are stored. More records may be stored: a commit may reach the disk although
  /// it reported a failure. The writer of such a record was told of the failure, so the record is reported without an
  /// `id`.
  ///
  /// A room with a damaged row is refused, while the others go on. The content of that row doesn't count.
  private func compare(
    with stored: [String: RoomEntry],
    damaged: Set<Int64>,
    in writer: WriterDatabase
  ) throws(StorageFault) -> [LogEvent] {
    var news: [LogEvent] = []
    for entry in rooms.values.sorted(by: { $0.number < $1.number }) where !damaged.contains(entry.number) {
      guard let found = stored[entry.name], found.number == entry.number else {
        // The room is missing. Either a deletion that had failed was stored after all, or the room is lost.
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
      if let damage { note(damageAt: damage, of: found) }
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

  /// Notes damage. From now on the room is refused, unless a snapshot covers the damaged records.
  func note(damageAt position: UInt64, of entry: RoomEntry) {
    let isHistory = (entry.snapshots.last?.position ?? 0) >= position
    shared.note(.init(room: entry.name, position: position, isHistory: isHistory), room: entry.number)
  }

  /// Fails if one of the files was removed or replaced: nobody could ever read records that are written to it.
  func checkFiles() throws(StorageFault) {
    guard let now = options.files.identity(path), now.isSameFile(as: file) else { throw .replaced(path: path) }
    guard isWriteAheadInPlace else { throw .replaced(path: writeAheadPath) }
  }

  private var isWriteAheadInPlace: Bool {
    guard let writeAhead else { return true }
    return options.files.identity(writeAheadPath)?.isSameFile(as: writeAhead) ?? false
  }
}
