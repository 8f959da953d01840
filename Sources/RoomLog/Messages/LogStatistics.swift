/// Figures of a log since it was opened.
public struct LogStatistics: Sendable {
  /// Why appends can't be stored now; `nil` if they can.
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
  /// For a log in a directory.
  public var directory: DirectoryFigures?
  /// For a log that several nodes share.
  public var following: FollowingFigures?

  public init() {}
}

/// Figures of a log that is a directory of this machine.
public struct DirectoryFigures: Sendable {
  public var databaseBytes: UInt64 = 0
  public var writeAheadBytes: UInt64 = 0
  public var openFiles = 0
  /// How long checkpoints took, in microseconds. A checkpoint copies the write-ahead log into the database.
  public var checkpointMicroseconds = Histogram(.microseconds)

  public init() {}
}

/// Figures of a node that follows rooms.
public struct FollowingFigures: Sendable {
  public var rooms = 0
  /// Records that are stored and not yet reported here, when that was last checked. `nil` while it can't be checked.
  public var lagRecords: UInt64?
  /// Appends of which it is unknown whether they are stored.
  public var undecidedAppends = 0
  /// How often the log's thread had a turn.
  public var turns: UInt64 = 0
  /// How often a connection was lost.
  public var reconnects: UInt64 = 0
  /// Rooms that could not be written, though others could.
  public var roomsRefused = 0
  /// How often a room had lost records that had been reported.
  public var roomsSetBack: UInt64 = 0
  /// Whether each connection can be used, by its purpose.
  public var connections: [String: Bool] = [:]

  public init() {}
}
