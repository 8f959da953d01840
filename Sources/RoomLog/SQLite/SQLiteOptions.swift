/// Options of a `SQLiteLog`.
public struct SQLiteOptions: Sendable {
  public var retention = Retention.everything

  /// How many bytes may wait to be written before appends are refused as busy.
  public var queueBytesMax = RequestQueue.standardBytesMax
  /// How many bytes of snapshots may wait to be written before snapshots are refused as busy.
  public var snapshotQueueBytesMax = RequestQueue.standardSnapshotBytesMax

  /// The pause before the log tries again to write, after any failure.
  public var probeMilliseconds: UInt64 = 500

  /// How long to wait while another program, such as an operator's `sqlite3`, locks the database.
  public var lockedMillisecondsMax = 1_000

  /// The length of the write-ahead log, in pages of 4 KB, at which a checkpoint is made. A higher number means fewer
  /// but longer checkpoints, and a longer recovery after a crash.
  public var checkpointPages: Int32 = 8_192

  /// Random bits for new epochs and marks. Tests pass in a seeded generator.
  public var random: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }

  /// The secret from which the server makes each actor's key. It replaces the stored secret. If it is `nil`, the log
  /// keeps the stored secret, or makes one.
  public var secret: [UInt8]?

  /// The secret to store if the log has none.
  public var offeredSecret: [UInt8]?

  public var purpose = Purpose.serving

  /// What the directory is opened for.
  public enum Purpose: Sendable {
    case serving
    /// It becomes the backup of a database.
    case backup
    /// Its rooms are copied to another place.
    case move
  }

  /// The name of the SQLite virtual file system to use. Tests use one that fails.
  var fileSystem: String?
  var files = FileLook()

  /// How long deleting old rows may take between two commits.
  var clearingMicrosecondsMax: UInt64 = 2_000

  /// The steps that upgrade the tables. Tests add steps of an imaginary later version.
  var schemaSteps = Schema.steps

  /// Whether the reading connection may write. A server needs that to recover the write-ahead log after a crash.
  var readerMayWrite = true

  public init() {}
}

/// Limits that no operator needs to change.
enum WriterBounds {
  /// A commit has at most this many records. With a larger limit, the first record of a burst would wait longer for the
  /// others.
  static let commitRecordsMax = 8_192
  static let commitBytesMax = 8 << 20

  /// The size of a part of a snapshot. Writing one part takes a fraction of a millisecond.
  static let snapshotPartBytes = 65_536

  /// The size of the test write that has to succeed before appends are accepted again.
  static let probeBytes = 65_536

  /// Up to this many free pages stay in the database's file. More are given back to the disk if they are more than a
  /// quarter of all pages.
  static let freePagesMax: Int64 = 1_024
  static let freePagesAtOnce = 64
}
