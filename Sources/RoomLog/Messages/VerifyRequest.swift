/// Asks for the next part of a verification round, which checks the checksums of all rooms. Each part is small, so that
/// other readers of the log don't wait long.
public struct VerifyRequest: Sendable {
  public var id: UInt64
  /// Where the last part ended. `nil` begins a new round.
  public var start: VerifyPlace?
  /// The part ends with the row that reaches this size, so it can be larger by one row.
  public var bytesMax: Int
  /// The time after which the part ends. The row that is being read is finished first.
  public var microsecondsMax: UInt64

  public init(id: UInt64, start: VerifyPlace?, bytesMax: Int, microsecondsMax: UInt64) {
    self.id = id
    self.start = start
    self.bytesMax = bytesMax
    self.microsecondsMax = microsecondsMax
  }
}

/// The result of one part of a verification round.
public struct VerifiedPart: Hashable, Sendable {
  /// How many rooms were finished in this part.
  public var rooms = 0
  public var records = 0
  /// The bytes of all records and snapshots that were read.
  public var bytes = 0
  /// The damage that was found. Each is `.damaged` or `.damagedSnapshot`.
  public var damages: [LogError] = []
  /// Where the next part begins. `nil` at the end of the round.
  public var next: VerifyPlace?

  public init() {}
}

/// How far a verification round has come. Only the log that made this value understands it.
public struct VerifyPlace: Hashable, Sendable {
  enum Stage: Hashable, Sendable {
    /// The whole room is verified.
    case end
    /// The next records to verify are those after one position, up to another. Newer records are left to the next
    /// round.
    case records(after: UInt64, through: UInt64)
    /// The next to verify are the room's complete snapshots after a position.
    case snapshots(after: UInt64)
    /// The next to verify are the parts of the snapshot at `position` after the part `last`. `bytes` and `checksum`
    /// cover all parts that were read so far.
    case parts(position: UInt64, last: Int64, bytes: Int, checksum: UInt64)
  }

  /// The room's number in the database.
  var room: Int64
  var stage: Stage
  /// The highest room number when the round began. Rooms made since then are left to the next round.
  var roomMax: Int64
  var hasDamagedSnapshot = false
}
