/// Settings of a `SQLiteLog`.
public struct SQLiteOptions: Sendable {
  public var retention = Retention.everything

  /// How much may wait to be stored before appends are refused as `busy`.
  public var queueBytesMax = RequestQueue.standardBytesMax
  /// The same for snapshots.
  public var snapshotQueueBytesMax = RequestQueue.standardSnapshotBytesMax

  /// How long the log waits before it tries the disk again, after a failed commit and after each failed try.
  public var probeMilliseconds: UInt64 = 500

  /// How long to wait for another program that has locked the database, such as an operator's `sqlite3`.
  public var lockedMillisecondsMax = 1_000

  /// The write-ahead log is copied into the database when it has this many pages of 4 KB. With a higher number this
  /// happens less often, with more pages to copy at a time, and reading the log after a crash takes longer.
  public var checkpointPages: Int32 = 8_192

  /// The source of random bits, for the new epochs of rooms that come from a backup.
  public var random: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }

  /// The secret behind the actors' keys. If given, the log stores it in place of its own. Without one, the log keeps
  /// its own or makes one.
  public var secret: [UInt8]?

  /// A virtual file system for SQLite. Tests use one to inject faults.
  var fileSystem: String?
  var files = FileLook()

  /// How long clearing may take between two commits.
  var clearingMicrosecondsMax: UInt64 = 2_000

  /// The steps that create the database's tables. Tests hand in steps of an imagined later version.
  var schemaSteps = Schema.steps

  /// Whether the reading connection may also write. It must, to recover the write-ahead log after a crash.
  var readerMayWrite = true

  public init() {}
}

/// Bounds that no operator needs to change.
enum WriterBounds {
  /// The most records of one commit, so that in a burst the first record doesn't wait for the last.
  static let commitRecordsMax = 8_192
  static let commitBytesMax = 8 << 20

  /// The size of a part of a snapshot. One part is written between two commits, which takes a fraction of a
  /// millisecond.
  static let snapshotPartBytes = 65_536

  /// How many bytes the disk must take before the log counts as available again.
  static let probeBytes = 65_536

  /// Free pages are given back to the disk if there are more than this, and more than a quarter of the database.
  static let freePagesMax: Int64 = 1_024
  static let freePagesAtOnce = 64
}
