/// How a `SQLiteLog` is to behave.
public struct SQLiteOptions: Sendable {
  public var retention = Retention.everything

  /// How much may wait to be stored before appends are refused as `busy`.
  public var queueBytesMax = RequestQueue.standardBytesMax
  /// The same for snapshots.
  public var snapshotQueueBytesMax = RequestQueue.standardSnapshotBytesMax

  /// How long the log waits after a failed commit, and after each failed try, before it tries the disk again.
  public var probeMilliseconds: UInt64 = 500

  /// How long to wait for another program that holds the database, such as an operator's `sqlite3`.
  public var lockedMillisecondsMax = 1_000

  /// The write-ahead log is carried over into the database when it has this many pages of 4 KB. A longer one is carried
  /// over less often and more thoroughly, and takes longer to read after a crash.
  public var checkpointPages: Int32 = 8_192

  /// Where random bits come from: for the new epochs of rooms that turn out to have come from a backup.
  public var random: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }

  /// Bytes that nobody can guess, by which people are known. The log keeps them in place of those that it has. If it has none
  /// and is given none, it draws some.
  public var secret: [UInt8]?

  /// A virtual file system of SQLite's. Tests use one to inject faults.
  var fileSystem: String?
  var files = FileLook()

  /// How long clearing away may take between two commits.
  var clearingMicrosecondsMax: UInt64 = 2_000

  /// The steps that create the database's tables. Tests hand in steps of an imagined later version.
  var schemaSteps = Schema.steps

  /// Whether the reading connection may also write. It has to, to recover the write-ahead log after a crash.
  var readerMayWrite = true

  public init() {}
}

/// Bounds that no operator needs to change.
enum WriterBounds {
  /// One commit takes no more than this, so that a burst doesn't delay its first record by the time of its last.
  static let commitRecordsMax = 8_192
  static let commitBytesMax = 8 << 20

  /// The size of a part of a snapshot. One part is written between two commits, which takes a fraction of a
  /// millisecond.
  static let snapshotPartBytes = 65_536

  /// How much the disk has to take before an unavailable log counts as available again.
  static let probeBytes = 65_536

  /// Free pages are given back when there are more than this, and more than a quarter of the database.
  static let freePagesMax: Int64 = 1_024
  static let freePagesAtOnce = 64
}
