import CSQLite

/// The log's writing thread. It stores what has queued, for all rooms in one transaction with one sync, and reports it.
/// Between two commits it does a little of the work that can wait.
///
/// It never waits to gather more. While one commit is synced, the next one's records arrive. So a slow disk makes
/// commits larger, and a quiet room's record is stored at once.
///
/// When a commit fails, callers are told that nothing of it was stored: its appends are refused as unavailable. What
/// the disk then holds is uncertain, above all after a failed sync, so the connection is given up. Before the log takes
/// another append, it reopens the database, compares it with what was acknowledged, and tries to write.
final class Writer {
  let directory: String
  let options: SQLiteOptions
  let queue: RequestQueue
  let outlet: Outlet
  let shared: SharedFigures
  let path: String
  let file: FileIdentity
  private let lock: DirectoryLock

  /// Nil while the log is unavailable.
  var connection: WriterDatabase?
  var rooms: [String: RoomEntry]
  var lastNumber: Int64
  var chores: Chores
  /// Snapshots with all parts written, which the next commit completes.
  var completions: [SnapshotWriting] = []
  private var waiting: [RequestQueue.Entry] = []
  private var nextWaiting = 0
  private var nextProbe: UInt64 = 0
  private var carryOverPages: Int32

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
    rooms = opened.rooms
    for number in opened.damaged {
      let name = opened.rooms.values.first { $0.number == number }?.name ?? ""
      shared.note(.init(room: name, position: 0, isHistory: false), room: number)
    }
    chores = Chores()
    let path = opened.path
    let found = try attempt(path) { () throws(SQLiteFailure) in
      try Chores.leftOver(in: opened.writer.database, rooms: opened.rooms)
    }
    chores = found.chores
    lastNumber = max(found.lastNumber, opened.rooms.values.map(\.number).max() ?? 0)
    let count = rooms.count
    shared.update { $0.rooms = count }
  }

  /// Runs until the queue is closed and empty.
  func run() {
    while true {
      if nextWaiting == waiting.count {
        let taken = queue.take(deadline: sleepDeadline)
        waiting = taken.entries
        nextWaiting = 0
        if taken.isClosed, waiting.isEmpty, connection == nil || chores.writings.isEmpty && completions.isEmpty {
          break
        }
      }
      if connection == nil {
        refuseWaiting()
        if MonotonicClock.microseconds() >= nextProbe { probe() }
        continue
      }
      commit(nextBatch())
      if connection != nil { carryOver() }
      if connection != nil { doChore() }
    }
  }

  /// Closes the connection and frees the directory. The last connection to close carries the write-ahead log over.
  func letGo() {
    chores = Chores()
    connection = nil
    lock.release()
  }

  private var sleepDeadline: UInt64? {
    if connection == nil { return nextProbe }
    return chores.isEmpty && completions.isEmpty ? nil : 0
  }

  /// Takes as many of the waiting requests as one commit may have.
  private func nextBatch() -> [LogRequest] {
    var batch: [LogRequest] = []
    var refusals: [LogEvent] = []
    var bytes = 0
    var records = 0
    while nextWaiting < waiting.count, bytes < WriterBounds.commitBytesMax, records < WriterBounds.commitRecordsMax {
      switch waiting[nextWaiting] {
      case .refused(let id, let room, let error): refusals.append(.failed(id: id, room: room, error))
      case .request(let request):
        if request.isAboutFollowing {
          // It is answered once what was asked before is stored.
          guard batch.isEmpty else { return batch }
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

  /// Carries the write-ahead log over when it is long enough.
  private func carryOver() {
    guard let connection, connection.writeAheadPages >= carryOverPages else { return }
    let start = MonotonicClock.microseconds()
    do throws(SQLiteFailure) {
      let result = try connection.database.checkpoint(SQLITE_CHECKPOINT_PASSIVE)
      // A reader was in the way of the rest. Leave it for later instead of trying at each commit.
      carryOverPages = options.checkpointPages + (result.carried < result.pages ? result.pages : 0)
    } catch {
      return suspend(error.fault(path: path))
    }
    let took = MonotonicClock.microseconds() - start
    shared.update { $0.directory?.checkpointMicroseconds.add(took) }
  }

  // MARK: Unavailable

  /// From now on nothing can be stored, until `probe` finds that it can.
  func suspend(_ fault: StorageFault) {
    connection = nil
    nextProbe = MonotonicClock.microseconds() + options.probeMilliseconds * 1_000
    let unwritten = completions + chores.writings
    completions = []
    chores = Chores()
    queue.release(unwritten.map(\.asRequest))
    var events = unwritten.map { LogEvent.failed(id: $0.request.id, room: $0.request.room, .unavailable(fault)) }
    var isChange = false
    shared.update {
      isChange = $0.fault != fault
      $0.fault = fault
    }
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

  /// Reopens the database. If it has everything that was acknowledged and can be written, the log is available again.
  private func probe() {
    do throws(StorageFault) {
      try checkFile()
      let database = try OpenedDirectory.open(path, options: options)
      let path = path
      let (writer, stored) = try attempt(path) { () throws(SQLiteFailure) in
        let writer = try WriterDatabase(database)
        try writer.probe()
        return (writer, try writer.rooms())
      }
      let found = try attempt(path) { () throws(SQLiteFailure) in
        try Chores.leftOver(in: database, rooms: stored.rooms)
      }
      let news = try compare(with: stored.rooms, in: writer)
      rooms = stored.rooms
      chores = found.chores
      connection = writer
      shared.update { $0.fault = nil }
      outlet.tell([.availability(room: nil, nil)] + news)
    } catch {
      suspend(error)
    }
  }

  /// Checks that everything acknowledged is there. What is there beyond that belongs to a commit that failed and was
  /// stored after all, and it is durable now. It is reported without an `id`, because its writer was told that it
  /// failed.
  private func compare(
    with stored: [String: RoomEntry],
    in writer: WriterDatabase
  ) throws(StorageFault) -> [LogEvent] {
    var news: [LogEvent] = []
    for entry in rooms.values.sorted(by: { $0.number < $1.number }) {
      guard let found = stored[entry.name], found.number == entry.number else {
        // Either a deletion was stored after all, or the room is lost.
        guard try wasDropped(entry, in: writer) else { throw .recordsGone(path: path, room: entry.name) }
        news.append(.deleted(id: nil, room: entry.name, epoch: entry.epoch))
        continue
      }
      guard found.last >= entry.last else { throw .recordsGone(path: path, room: entry.name) }
    }
    for found in stored.values.sorted(by: { $0.number < $1.number }) {
      let known = rooms[found.name].flatMap { $0.number == found.number ? $0.last : nil } ?? 0
      guard found.last > known else { continue }
      let records = try attempt(path) { () throws(SQLiteFailure) in
        try writer.records(room: found.number, after: known)
      }
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

  /// Fails if the file was removed or replaced: it would go on taking records that nobody could ever read again.
  func checkFile() throws(StorageFault) {
    guard let now = SystemCalls.file(at: path), now.isSameFile(as: file) else { throw .replaced(path: path) }
  }
}
