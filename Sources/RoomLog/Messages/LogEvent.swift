/// An event that a log reports.
public enum LogEvent: Hashable, Sendable {
  /// Rooms can be had from now on. Reported once.
  /// - Parameter secret: bytes that nobody can guess, the same for all nodes; nil where the log keeps none.
  case opened(secret: [UInt8]?)
  /// Why the log can't be opened yet. It goes on trying. Each reason is reported once.
  case waiting(StorageFault)
  /// The log can't be opened until somebody changes something. All requests are refused, and `.closed` follows.
  case unusable(StorageFault)
  case appended(AppendedRecords)
  case read(id: UInt64, RecordPage)
  case loaded(id: UInt64, LoadedRoom)
  /// Everything that was stored before the request has been reported.
  case following(id: UInt64, room: String)
  /// Without an `id`, the log can't tell what came next in the room, and the caller has to load the room again.
  case unfollowed(id: UInt64?, room: String)
  case told(id: UInt64, room: String?)
  /// Another node has told those who follow a room, or without a room all nodes.
  case heard(room: String?, bytes: [UInt8])
  case locked(id: UInt64, room: String, isLocked: Bool)
  /// The rooms to which only operators write: when a log is opened that nodes share, and when another node has changed it.
  case locks(Set<String>)
  case created(id: UInt64, room: String)
  case snapshotted(id: UInt64, room: String, position: UInt64)
  /// Records up to `through` are gone. Without an `id`, retention removed them.
  case trimmed(id: UInt64?, room: String, through: UInt64)
  case retained(id: UInt64)
  /// Without an `id`, another node deleted the room.
  case deleted(id: UInt64?, room: String, epoch: UInt64)
  /// The room's records now start after `first`, end with `last`, and it has this epoch.
  case repaired(id: UInt64, room: String, epoch: UInt64, first: UInt64, last: UInt64)
  case verified(id: UInt64, room: String, records: Int)
  case verifiedPart(id: UInt64, VerifiedPart)
  case rooms(id: UInt64, [RoomSummary])
  /// The request wasn't carried out. An append that failed with `.unavailable` may still be stored; then it is reported
  /// to followers like an append of another node, without an `id`.
  case failed(id: UInt64, room: String?, LogError)
  /// Whether appends can be stored, in one room or in all. Reported when it changes.
  case availability(room: String?, StorageFault?)
  /// Records from now on may not continue all that was reported: another copy of the log has taken over, and records
  /// that only the former copy had are lost. Requests carry the number of the timeline that their caller knows.
  /// - Parameter lost: a room that has lost records that were reported. It is not followed any more.
  case otherTimeline(UInt64, lost: String?)
  /// Whether rooms can be read and followed, in a log that nodes share. Reported when it couldn't be for some seconds, and when
  /// it can be again.
  case readability(StorageFault?)
  /// Something about the place where rooms are kept that an operator should know of, in words. The log goes on.
  case concern(String)
  /// Messages of other nodes were lost for a while, because their connection was down.
  case missedNews
  case committed(CommitReport)
  case closed
}

/// Records that are durable: what a room folds.
public struct AppendedRecords: Hashable, Sendable {
  /// The append that brought them; nil where it wasn't one of this process.
  public var id: UInt64?
  public var room: String
  /// That of the request, unless the append was to create the room and another node had created it before.
  public var epoch: UInt64
  /// Never empty, in the order of their positions.
  public var records: [LogRecord]

  public init(id: UInt64?, room: String, epoch: UInt64, records: [LogRecord]) {
    self.id = id
    self.room = room
    self.epoch = epoch
    self.records = records
  }
}

public struct LogRecord: Hashable, Sendable {
  public var position: UInt64
  /// When it arrived. Never less than the time of the record before.
  public var milliseconds: UInt64
  public var bytes: [UInt8]

  public init(position: UInt64, milliseconds: UInt64, bytes: [UInt8]) {
    self.position = position
    self.milliseconds = milliseconds
    self.bytes = bytes
  }
}

public struct RecordPage: Hashable, Sendable {
  public var room: String
  public var epoch: UInt64
  public var records: [LogRecord]
  /// Where the next page starts: its request's `after`.
  public var through: UInt64
  /// Whether there are no more records within the bound of the request.
  public var isLast: Bool
}

public struct LoadedRoom: Hashable, Sendable {
  public var summary: RoomSummary
  public var snapshot: RoomSnapshot?
}

public struct RoomSnapshot: Hashable, Sendable {
  public var place: SnapshotPlace
  public var bytes: [UInt8]
}

/// Where in a room's log a snapshot stands.
public struct SnapshotPlace: Hashable, Sendable {
  public var position: UInt64
  /// When the last record in it arrived.
  public var milliseconds: UInt64
  /// How many operations the room had taken by then.
  public var operations: UInt64
  public var shapes: UInt64
  public var byteCount: Int
}

public struct RoomSummary: Hashable, Sendable {
  public var room: String
  public var epoch: UInt64
  /// The position of the last record.
  public var last: UInt64
  /// Records up to here are gone; 0 where all are kept.
  public var trimmed: UInt64
  /// How many operations the room has ever taken.
  public var operations: UInt64
  public var createdMilliseconds: UInt64
  public var changedMilliseconds: UInt64
  /// The newest complete snapshot. Where its position is `last`, its number of shapes is the room's.
  public var snapshot: SnapshotPlace?
  /// Why the room is refused, if it is.
  public var damage: LogError?
}

/// One commit, for metrics and for the log of slow ones.
public struct CommitReport: Hashable, Sendable {
  public var rooms: Int
  public var records: Int
  public var bytes: Int
  public var microseconds: UInt64
}
