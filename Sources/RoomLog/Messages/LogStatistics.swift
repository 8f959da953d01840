/// Figures of a log since it was opened.
public struct LogStatistics: Sendable {
  /// Why appends can't be stored now, if they can't.
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
  /// Of a log that is a directory.
  public var directory: DirectoryFigures?
  /// Of a log that several nodes use.
  public var following: FollowingFigures?

  public init() {}
}

/// Figures of a log that is a directory of this machine.
public struct DirectoryFigures: Sendable {
  public var databaseBytes: UInt64 = 0
  public var writeAheadBytes: UInt64 = 0
  public var openFiles = 0
  /// How long checkpoints took, in microseconds. A checkpoint carries the write-ahead log over into the database.
  public var checkpointMicroseconds = Histogram(.microseconds)

  public init() {}
}

/// Figures of a node that follows rooms.
public struct FollowingFigures: Sendable {
  public var rooms = 0
  /// Records that are stored and have not been reported here, when that was last looked at. `nil` while it can't be looked at.
  public var lagRecords: UInt64?
  /// Appends of which it is not known whether they are stored.
  public var undecidedAppends = 0
  /// How often the log's thread had a turn.
  public var turns: UInt64 = 0
  /// How often a connection was lost.
  public var reconnects: UInt64 = 0
  /// Rooms to which nothing could be stored, though others could be written.
  public var roomsRefused = 0
  /// How often records of a room were gone that had been reported.
  public var roomsSetBack: UInt64 = 0
  /// For each connection, by what it does, whether it can be used.
  public var connections: [String: Bool] = [:]

  public init() {}
}
