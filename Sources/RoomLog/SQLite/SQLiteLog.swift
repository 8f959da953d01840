import Basics

/// A log in an SQLite database, `canvas.db`, in a directory of its own (sqlite.org/wal.html).
///
/// One thread writes, and another one reads. An append is reported once it is synced to the disk. Each record's
/// checksum is checked whenever the record is read. A damaged room is refused until an operator repairs it, or until a
/// newer snapshot covers the damage. Other rooms go on.
///
/// While the disk takes no writes, appends are refused as unavailable, and reading goes on. The log keeps trying to
/// write, and `.availability` reports when it works again.
///
/// The directory must be on a local disk. Only one process can use it at a time.
public final class SQLiteLog: RoomLog {
  private let directory: String
  private let writing: RequestQueue
  private let reading: RequestQueue
  private let shared: SharedFigures
  /// The files that every user of the machine had rights to. These rights were removed, except from files of other
  /// users.
  public let openToAll: [String]
  /// The secret from which the server makes each actor's key.
  public let secret: [UInt8]

  /// Opens the directory, creates it if necessary, and upgrades its database to the newest schema. This blocks the
  /// calling thread.
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
    let readingThread = try SystemThread.ofLog { handover.value.reader.run() }
    let writingThread: SystemThread
    do throws(StorageFault) {
      writingThread = try .ofLog {
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
    statistics.queuedBytes = writing.queuedBytes
    statistics.directory?.databaseBytes = UInt64(SystemCalls.file(at: directory + "/canvas.db")?.bytes ?? 0)
    statistics.directory?.writeAheadBytes = UInt64(SystemCalls.file(at: directory + "/canvas.db-wal")?.bytes ?? 0)
    return statistics
  }

  public func close() {
    reading.close()
    writing.close()
  }
}

/// Passes a value to the two threads.
///
/// `@unchecked Sendable`: each thread uses a different part of the value, and the creator doesn't use it after the
/// threads have started.
private final class Handover<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
