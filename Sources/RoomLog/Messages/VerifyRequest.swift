/// Asks for the next part of a round of verification (one pass over everything that is stored), which compares all
/// rooms with their checksums. Parts are bounded, so that other readers of the log don't wait long.
public struct VerifyRequest: Sendable {
  public var id: UInt64
  /// The place where the last part ended. `nil` begins a round.
  public var start: VerifyPlace?
  /// The part ends with the row that reaches this size. So even a row that is larger than the bound is read.
  public var bytesMax: Int
  /// The part ends with the row during whose reading this time has passed.
  public var microsecondsMax: UInt64

  public init(id: UInt64, start: VerifyPlace?, bytesMax: Int, microsecondsMax: UInt64) {
    self.id = id
    self.start = start
    self.bytesMax = bytesMax
    self.microsecondsMax = microsecondsMax
  }
}

/// What a part of a round has found.
public struct VerifiedPart: Hashable, Sendable {
  /// How many rooms were finished in this part.
  public var rooms = 0
  public var records = 0
  /// How many bytes of records and snapshots were read in this part.
  public var bytes = 0
  /// The damage that was found, as `.damaged` and `.damagedSnapshot`.
  public var damages: [LogError] = []
  /// The place where the next part begins. `nil` at the end of the round.
  public var next: VerifyPlace?

  public init() {}
}

/// A place in a round of verification. Only the log that made it can read it.
public struct VerifyPlace: Hashable, Sendable {
  enum Stage: Hashable, Sendable {
    /// At the end of the room.
    case end
    /// Before the room's records after one position and up to another. Records past those are left to the next round.
    case records(after: UInt64, through: UInt64)
    /// Before the room's complete snapshots after a position.
    case snapshots(after: UInt64)
    /// In the middle of a snapshot: the number of the last part that was read, and the length and the checksum of the
    /// parts so far.
    case parts(position: UInt64, last: Int64, bytes: Int, checksum: UInt64)
  }

  /// The number of the room.
  var room: Int64
  var stage: Stage
  /// The highest number that a room had when the round began. Newer rooms are left to the next round.
  var roomMax: Int64
  var hasDamagedSnapshot = false
}
