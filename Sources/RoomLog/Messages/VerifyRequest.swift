/// Asks for the next part of a round that reads all rooms and compares them with their checksums. A part is bounded, so
/// that other readers of the log don't wait for long.
public struct VerifyRequest: Sendable {
  public var id: UInt64
  /// Where the last part ended; `nil` begins a round.
  public var start: VerifyPlace?
  /// The part ends with the row that reaches this size, so a single large row is still read.
  public var bytesMax: Int
  /// The part ends with the row during which this time is up.
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
  /// The damage that was found, as `.damaged` and `.damagedSnapshot`.
  public var damages: [LogError] = []
  /// Where the next part begins; `nil` at the end of the round.
  public var next: VerifyPlace?

  public init() {}
}

/// A place in a round of verification. Only the log that made it knows what it means.
public struct VerifyPlace: Hashable, Sendable {
  enum Stage: Hashable, Sendable {
    /// The room is done.
    case end
    /// The room's records after one position and up to another. Later records are left to the next round.
    case records(after: UInt64, through: UInt64)
    /// The room's complete snapshots after a position.
    case snapshots(after: UInt64)
    /// In the middle of a snapshot: the number of the last part read, and the length and the checksum of the parts so
    /// far.
    case parts(position: UInt64, last: Int64, bytes: Int, checksum: UInt64)
  }

  /// The number of the room.
  var room: Int64
  var stage: Stage
  /// The highest number at the beginning of the round. Later rooms are left to the next round.
  var roomMax: Int64
  var hasDamagedSnapshot = false
}
