/// A log in an SQLite database, `canvas.db`, in a directory of its own (sqlite.org/wal.html).
///
/// One thread writes, another reads. A reported append has been synced to the disk. A record is checked each time it is
/// read. If it is damaged, the damage is reported with room and position, and the room is refused until an operator
/// repairs it or a newer snapshot covers the damage. Other rooms go on.
///
/// While the disk can't be written, appends are refused as unavailable, and reading goes on. The log keeps trying to
/// write, and `.availability` reports when appends can be stored again.
///
/// A directory is used by one process at a time, on a local disk.
public final class SQLiteLog: RoomLog {
  private let directory: String
  private let writing: RequestQueue
  private let reading: RequestQueue
  private let shared: SharedFigures
  /// The files that every user of the machine had rights to when the directory was opened. These rights were taken
  /// away, unless the file belongs to another user.
  public let openToAll: [String]
  /// The secret behind the actors' keys.
  public let secret: [UInt8]

  /// Opens the directory, creates it if necessary, and brings its database to the newest schema. All this is done on
  /// the caller's thread.
  public init(
    directory: String,
    options: SQLiteOptions = SQLiteOptions(),
    sink: @escaping LogSink
  ) throws(StorageFault) {
    self.directory = directory
    let halves = try LogHalves(directory: directory, options: options, sink: sink)
    writing = halves.writing
    reading = halves.reading
    shared = halves.shared
    openToAll = halves.openToAll
    secret = halves.secret
    let handover = Handover(halves)
    let readingThread = try LogThread { handover.value.reader.run() }
    let writingThread: LogThread
    do throws(StorageFault) {
      writingThread = try LogThread {
        handover.value.writer.run()
        readingThread.join()
        handover.value.letGo()
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
    let (reads, writes) = LogHalves.sorted(requests)
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

/// Hands a value to the threads that use it from then on.
///
/// `@unchecked Sendable`: the maker doesn't use the value after the threads have started, and each thread uses its own
/// part.
private final class Handover<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
