/// Statistics of a log since it was opened.
public struct LogStatistics: Sendable {
  /// Why appends can't be stored now. `nil` if they can.
  public var fault: StorageFault?
  public var commits: UInt64 = 0
  public var failedCommits: UInt64 = 0
  public var records: UInt64 = 0
  public var bytes: UInt64 = 0
  /// How long commits took, in microseconds.
  public var commitMicroseconds = Histogram(.microseconds)
  /// How many records each commit stored.
  public var batchRecords = Histogram(.counts)
  public var queuedBytes = 0
  public var snapshotBytesWaiting = 0
  public var rooms = 0
  public var damagedRooms = 0
  /// Statistics that only a log in a directory has.
  public var directory: DirectoryFigures?
  /// Statistics that only a log shared by several nodes has.
  public var following: FollowingFigures?

  public init() {}
}

/// Statistics of a log that is stored in a directory of this machine.
public struct DirectoryFigures: Sendable {
  public var databaseBytes: UInt64 = 0
  public var writeAheadBytes: UInt64 = 0
  public var openFiles = 0
  /// How long checkpoints took, in microseconds. A checkpoint copies the pages of the write-ahead log into the
  /// database.
  public var checkpointMicroseconds = Histogram(.microseconds)

  public init() {}
}

/// Statistics of a node that follows rooms.
public struct FollowingFigures: Sendable {
  public var rooms = 0
  /// How many records in followed rooms were stored but not yet reported here, when that was last checked. `nil` while
  /// the database can't be reached.
  public var lagRecords: UInt64?
  /// The number of appends for which it is unknown whether they are stored.
  public var undecidedAppends = 0
  /// How many rounds the loop of the log's thread has made.
  public var turns: UInt64 = 0
  /// How often a connection was lost.
  public var reconnects: UInt64 = 0
  /// How many rooms could not be written, although others could.
  public var roomsRefused = 0
  /// How often a room was found to have lost records that had been reported.
  public var roomsSetBack: UInt64 = 0
  /// For each purpose of a connection, whether that connection can be used.
  public var connections: [String: Bool] = [:]

  public init() {}
}
