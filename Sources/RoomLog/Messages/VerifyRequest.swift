/// Asks for the next part of a round in which all rooms are read and compared with their checksums. A part is bounded, so
/// that nobody who reads the log waits long for it.
public struct VerifyRequest: Sendable {
  public var id: UInt64
  /// Where the part before ended; nil begins a round.
  public var start: VerifyPlace?
  /// The part ends with the row that reaches this size, so a single large row is still read.
  public var bytesMax: Int
  /// The part ends with the row at which this time is over.
  public var microsecondsMax: UInt64

  public init(id: UInt64, start: VerifyPlace?, bytesMax: Int, microsecondsMax: UInt64) {
    self.id = id
    self.start = start
    self.bytesMax = bytesMax
    self.microsecondsMax = microsecondsMax
  }
}

/// The findings of a part of a round.
public struct VerifiedPart: Hashable, Sendable {
  /// How many rooms it finished.
  public var rooms = 0
  public var records = 0
  /// How many bytes of records and snapshots it read.
  public var bytes = 0
  /// `.damaged` and `.damagedSnapshot`, as they were found.
  public var damages: [LogError] = []
  /// Where the next part begins; nil at the end of the round.
  public var next: VerifyPlace?

  public init() {}
}

/// A place in a round of verification. Only the log that made it knows what it means.
public struct VerifyPlace: Hashable, Sendable {
  enum Stage: Hashable, Sendable {
    /// The room is done.
    case end
    /// Its records from after one position through another. Those that come meanwhile are for the next round.
    case records(after: UInt64, through: UInt64)
    /// Its complete snapshots after a position.
    case snapshots(after: UInt64)
    /// In the middle of a snapshot: which part came last, how long the parts so far are, and their checksum.
    case parts(position: UInt64, last: Int64, bytes: Int, checksum: UInt64)
  }

  /// The number of the room.
  var room: Int64
  var stage: Stage
  /// Rooms with higher numbers were made after the round began.
  var roomMax: Int64
  var hasDamagedSnapshot = false
}
