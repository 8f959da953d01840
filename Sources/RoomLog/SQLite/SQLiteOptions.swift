/// Settings of a `SQLiteLog`.
public struct SQLiteOptions: Sendable {
  public var retention = Retention.everything

  /// How many bytes may wait to be stored before appends are refused as `busy`.
  public var queueBytesMax = RequestQueue.standardBytesMax
  /// How many bytes of snapshots may wait to be stored before snapshots are refused as `busy`.
  public var snapshotQueueBytesMax = RequestQueue.standardSnapshotBytesMax

  /// The pause before the log tries to write again, after a failed commit and after each failed try.
  public var probeMilliseconds: UInt64 = 500

  /// How long to wait for another program that has locked the database, such as an operator's `sqlite3`.
  public var lockedMillisecondsMax = 1_000

  /// The length of the write-ahead log, in pages of 4 KB, at which it is copied into the database. With a higher
  /// number, the log is copied less often, but more pages are copied at a time, and reading the log after a crash takes
  /// longer.
  public var checkpointPages: Int32 = 8_192

  /// The source of random bits, for the new epochs of rooms that come from a backup.
  public var random: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }

  /// The secret behind the actors' keys. If it is given, the log stores it in place of the secret that the log has. If
  /// it isn't given, the log keeps its own secret, or makes one.
  public var secret: [UInt8]?

  /// The name of one of SQLite's virtual file systems. Tests use one that fails.
  var fileSystem: String?
  var files = FileLook()

  /// How long deleting rows that are no longer needed may take between two commits.
  var clearingMicrosecondsMax: UInt64 = 2_000

  /// The steps that make the database's tables. Tests pass in steps of an imagined later version.
  var schemaSteps = Schema.steps

  /// Whether the reading connection may also write. A server's has to, because after a crash it recovers the
  /// write-ahead log.
  var readerMayWrite = true

  public init() {}
}

/// Bounds that no operator needs to change.
enum WriterBounds {
  /// The upper bound on the records of one commit. In a burst, the first record must not wait for the last.
  static let commitRecordsMax = 8_192
  static let commitBytesMax = 8 << 20

  /// The bytes of a part of a snapshot. One part is written between two commits, which takes a fraction of a
  /// millisecond.
  static let snapshotPartBytes = 65_536

  /// How many bytes the disk has to take before appends are accepted again.
  static let probeBytes = 65_536

  /// How many free pages the database may keep. Free pages are given back to the disk if there are more than this and
  /// they are more than a quarter of the database.
  static let freePagesMax: Int64 = 1_024
  static let freePagesAtOnce = 64
}
