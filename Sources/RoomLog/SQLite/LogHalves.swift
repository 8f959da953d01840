/// A log in SQLite: its writing part and its reading part. `SQLiteLog` runs each on its own thread. Tests run both on
/// one thread, step by step.
struct LogHalves {
  let writing: RequestQueue
  let reading: RequestQueue
  let shared: SharedFigures
  let writer: Writer
  let reader: Reader
  let openToAll: [String]
  let secret: [UInt8]
  private let outlet: Outlet

  /// Opens the directory. When it is open, `.opened` is reported.
  init(directory: String, options: SQLiteOptions, sink: @escaping LogSink) throws(StorageFault) {
    writing = RequestQueue(bytesMax: options.queueBytesMax, snapshotBytesMax: options.snapshotQueueBytesMax)
    reading = RequestQueue(bytesMax: options.queueBytesMax, snapshotBytesMax: 0)
    shared = SharedFigures()
    shared.update { $0.directory = DirectoryFigures() }
    outlet = Outlet(sink: sink)
    let opened = try OpenedDirectory(directory: directory, options: options)
    openToAll = opened.openToAll
    secret = opened.secret
    writer = try Writer(
      opened,
      directory: directory,
      options: options,
      queue: writing,
      outlet: outlet,
      shared: shared
    )
    let reader = Reader(path: opened.path, options: options, queue: reading, outlet: outlet, shared: shared)
    self.reader = reader
    try attempt(opened.path) { () throws(SQLiteFailure) in try reader.connect() }
    outlet.tell([.opened(secret: secret)])
    tell("the rows", of: opened.damaged.count, at: opened.path, "these rooms are refused")
    tell(
      "snapshots",
      of: writer.rooms.values.count(where: \.lacksSnapshots),
      at: opened.path,
      "what can't be opened from older snapshots or from its records is refused"
    )
  }

  private func tell(_ hidden: String, of rooms: Int, at path: String, _ consequence: String) {
    guard rooms > 0 else { return }
    let words = "\(rooms) \(rooms == 1 ? "room" : "rooms"); \(consequence); restore a backup"
    outlet.tell([.concern("\(path) has a damaged page that hides \(hidden) of \(words)")])
  }

  /// Splits requests into those for the reading thread and those for the writing thread.
  static func sorted(_ requests: [LogRequest]) -> (reads: [LogRequest], writes: [LogRequest]) {
    requests.reduce(into: ([], [])) { parts, request in
      switch request {
      case .read, .load, .verify, .verifyPart, .list: parts.0.append(request)
      case .append, .create, .follow, .unfollow, .resume, .lock, .snapshot, .trim, .repair, .delete, .retain:
        parts.1.append(request)
      }
    }
  }

  /// Closes everything. To be called after both threads have ended.
  func letGo() {
    writer.letGo()
    outlet.tell([.closed])
  }
}
