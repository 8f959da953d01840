/// Keeps rooms in an SQLite database, `canvas.db`, in a directory of its own (sqlite.org/wal.html).
///
/// One thread writes, another reads. What is reported as appended has been synced to the disk. A record is checked each
/// time it is read. If it isn't what was stored, it is reported with its room and position, and its room is refused
/// until an operator repairs it or a newer snapshot covers it. Other rooms go on.
///
/// While the disk can't be written, appends are refused as unavailable and reading goes on. The log keeps trying the
/// disk, and `.availability` reports when it is back.
///
/// A directory is used by one process at a time, on a local disk.
public final class SQLiteLog: RoomLog {
  private let directory: String
  private let writing: RequestQueue
  private let reading: RequestQueue
  private let shared: SharedFigures
  /// The files that every user of the machine could read when the directory was opened. That was taken away, unless they are
  /// another user's.
  public let openToAll: [String]

  /// Opens the directory, creates it if it isn't there, and brings its database to the newest schema. All this is done
  /// on the caller's thread.
  public init(
    directory: String,
    options: SQLiteOptions = SQLiteOptions(),
    sink: @escaping LogSink
  ) throws(StorageFault) {
    self.directory = directory
    writing = RequestQueue(bytesMax: options.queueBytesMax, snapshotBytesMax: options.snapshotQueueBytesMax)
    reading = RequestQueue(bytesMax: options.queueBytesMax, snapshotBytesMax: 0)
    shared = SharedFigures()
    shared.update { $0.directory = DirectoryFigures() }
    let outlet = Outlet(sink: sink)
    let opened = try OpenedDirectory(directory: directory, options: options)
    let path = opened.path
    openToAll = opened.openToAll
    let writer = try Writer(
      opened,
      directory: directory,
      options: options,
      queue: writing,
      outlet: outlet,
      shared: shared
    )
    let reader = Reader(path: path, options: options, queue: reading, outlet: outlet, shared: shared)
    try attempt(path) { () throws(SQLiteFailure) in try reader.connect() }
    outlet.tell([.opened(secret: nil)])
    let readers = Handover(reader)
    let readingThread = try LogThread { readers.value.run() }
    let writers = Handover(writer)
    let writingThread: LogThread
    do throws(StorageFault) {
      writingThread = try LogThread {
        writers.value.run()
        readingThread.join()
        writers.value.letGo()
        outlet.tell([.closed])
      }
    } catch {
      reading.close()
      readingThread.join()
      throw error
    }
    writingThread.detach()
  }

  deinit { close() }

  public func submit(_ requests: [LogRequest]) {
    let (reads, writes) = requests.reduce(into: ([LogRequest](), [LogRequest]())) { parts, request in
      switch request {
      case .read, .load, .verify, .verifyPart, .list: parts.0.append(request)
      case .append, .create, .follow, .unfollow, .tell, .lock, .snapshot, .trim, .repair, .delete, .retain:
        parts.1.append(request)
      }
    }
    if !writes.isEmpty { writing.add(writes) }
    if !reads.isEmpty { reading.add(reads) }
  }

  public func statistics() -> LogStatistics {
    var statistics = shared.statistics
    (statistics.queuedBytes, statistics.snapshotBytesWaiting) = writing.waiting
    statistics.directory?.databaseBytes = UInt64(SystemCalls.file(at: directory + "/canvas.db")?.bytes ?? 0)
    statistics.directory?.writeAheadBytes = UInt64(SystemCalls.file(at: directory + "/canvas.db-wal")?.bytes ?? 0)
    statistics.directory?.openFiles = SystemCalls.openFiles(under: directory)
    return statistics
  }

  public func close() {
    reading.close()
    writing.close()
  }
}

/// Hands a value to the one thread that uses it from then on.
///
/// `@unchecked Sendable`: the maker lets go of the value before that thread starts.
private final class Handover<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
