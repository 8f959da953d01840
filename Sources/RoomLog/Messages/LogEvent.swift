/// An event that a log reports.
public enum LogEvent: Hashable, Sendable {
  /// The log is open. Reported once.
  /// - Parameter secret: random bytes, the same for all nodes; `nil` if the log keeps none.
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
  /// The room is no longer followed. Without an `id`: the log can't tell how the room goes on, and the caller has to
  /// load it again.
  case unfollowed(id: UInt64?, room: String)
  case told(id: UInt64, room: String?)
  /// Another node's message to the followers of a room, or, without a room, to all nodes.
  case heard(room: String?, bytes: [UInt8])
  case locked(id: UInt64, room: String, isLocked: Bool)
  /// The rooms to which only operators write. A log that nodes share reports it when it is opened, and when another
  /// node has changed it.
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
  /// Another copy of the log has taken over, and may lack records that were reported. Requests carry the number of the
  /// timeline that their caller knows.
  /// - Parameter lost: a room that has lost records that were reported. It is no longer followed.
  case otherTimeline(UInt64, lost: String?)
  /// Whether rooms can be read and followed, in a log that nodes share. Reported when they couldn't be for some
  /// seconds, and when they can be again.
  case readability(StorageFault?)
  /// A problem with the storage that an operator should know of, in words. The log goes on.
  case concern(String)
  /// Messages of other nodes may have been lost, because the connection was down.
  case missedNews
  case committed(CommitReport)
  case closed
}

/// Records that are durable.
public struct AppendedRecords: Hashable, Sendable {
  /// The append that brought the records; `nil` if it was another process's.
  public var id: UInt64?
  public var room: String
  /// The epoch of the request. It differs if the append was to create the room and another node had already created it.
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
  /// When the record arrived. Never earlier than the record before.
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
  /// The place where the next page starts, for its request's `after`.
  public var through: UInt64
  /// Whether there are no more records up to the bound of the request.
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

/// The place of a snapshot in a room's log.
public struct SnapshotPlace: Hashable, Sendable {
  public var position: UInt64
  /// When the last record that it covers arrived.
  public var milliseconds: UInt64
  /// How many operations the room had by then.
  public var operations: UInt64
  public var shapes: UInt64
  public var byteCount: Int
}

public struct RoomSummary: Hashable, Sendable {
  public var room: String
  public var epoch: UInt64
  /// The position of the last record.
  public var last: UInt64
  /// Records up to this position are gone; 0 if all are kept.
  public var trimmed: UInt64
  /// How many operations the room has ever had.
  public var operations: UInt64
  public var createdMilliseconds: UInt64
  public var changedMilliseconds: UInt64
  /// The newest complete snapshot. If its position is `last`, its number of shapes is the room's.
  public var snapshot: SnapshotPlace?
  /// Why the room is refused; `nil` if it isn't.
  public var damage: LogError?
}

/// One commit, for metrics and for the log of slow ones.
public struct CommitReport: Hashable, Sendable {
  public var rooms: Int
  public var records: Int
  public var bytes: Int
  public var microseconds: UInt64
}
