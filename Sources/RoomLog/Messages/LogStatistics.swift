/// Figures of a log since it was opened.
public struct LogStatistics: Sendable {
  /// Why appends can't be stored now, if they can't.
  public var fault: StorageFault?
  public var commits: UInt64 = 0
  public var failedCommits: UInt64 = 0
  public var records: UInt64 = 0
  public var bytes: UInt64 = 0
  /// How long commits took, in microseconds.
  public var commitMicroseconds = Histogram(firstBound: 64)
  /// How many records each commit stored.
  public var batchRecords = Histogram(firstBound: 1)
  /// How long checkpoints took, in microseconds. A checkpoint carries the write-ahead log over into the database.
  public var checkpointMicroseconds = Histogram(firstBound: 64)
  public var queuedBytes = 0
  public var snapshotBytesWaiting = 0
  public var rooms = 0
  public var damagedRooms = 0
  public var databaseBytes: UInt64 = 0
  public var writeAheadBytes: UInt64 = 0
  public var openFiles = 0

  public init() {}
}

/// Counts by size: how many fell at or under each bound, where each bound is twice the one before.
public struct Histogram: Hashable, Sendable {
  /// The last one counts what is past all bounds.
  public private(set) var counts: [UInt64]
  public private(set) var sum: UInt64 = 0
  private let firstShift: Int

  public static let boundCount = 18

  /// - Parameter firstBound: a power of two.
  public init(firstBound: UInt64) {
    firstShift = firstBound.trailingZeroBitCount
    counts = [UInt64](repeating: 0, count: Histogram.boundCount + 1)
  }

  public func bound(_ index: Int) -> UInt64 { 1 << UInt64(firstShift + index) }

  public mutating func add(_ value: UInt64) {
    let width = value <= 1 ? 0 : 64 - (value - 1).leadingZeroBitCount
    counts[min(max(width - firstShift, 0), Histogram.boundCount)] += 1
    sum &+= value
  }
}
