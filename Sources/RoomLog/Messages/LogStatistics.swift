import Basics

/// Figures since the log was opened.
public struct LogStatistics: Sendable {
  /// Why appends can't be stored now. `nil` while they can.
  public var fault: StorageFault?
  public var commits: UInt64 = 0
  public var failedCommits: UInt64 = 0
  public var records: UInt64 = 0
  public var bytes: UInt64 = 0
  /// How long commits took, in microseconds.
  public var commitMicroseconds = Histogram(.microseconds)
  /// The number of records in each commit.
  public var batchRecords = Histogram(.counts)
  public var queuedBytes = 0
  public var rooms = 0
  public var damagedRooms = 0
  /// `nil` unless the log is stored in a directory.
  public var directory: DirectoryFigures?
  /// Only for a log that several nodes share.
  public var following: FollowingFigures?

  public init() {}
}

/// Figures of a log in a directory of this machine.
public struct DirectoryFigures: Sendable {
  public var databaseBytes: UInt64 = 0
  public var writeAheadBytes: UInt64 = 0
  /// How long checkpoints took, in microseconds. A checkpoint copies pages from the write-ahead log into the database.
  public var checkpointMicroseconds = Histogram(.microseconds)

  public init() {}
}

/// Figures of a node that follows rooms in a shared log.
public struct FollowingFigures: Sendable {
  public var rooms = 0
  /// How many records of followed rooms were stored but not yet reported at the last check. `nil` while the database
  /// can't be reached.
  public var lagRecords: UInt64?
  /// The number of appends whose outcome is unknown since a connection broke.
  public var undecidedAppends = 0
  /// How many iterations the event loop of the log's thread has made.
  public var turns: UInt64 = 0
  /// How often a connection to the database was lost.
  public var reconnects: UInt64 = 0
  /// The number of rooms whose last append was refused while other rooms could be written.
  public var roomsRefused = 0
  /// How many times a room was found to have lost records that were already reported.
  public var roomsSetBack: UInt64 = 0
  /// Whether each connection can be used. The key is the connection's purpose.
  public var connections: [String: Bool] = [:]

  public init() {}
}
