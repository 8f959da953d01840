/// An event that a log reports.
public enum LogEvent: Hashable, Sendable {
  /// The log is open. Reported once.
  /// - Parameter secret: random bytes, the same for all nodes. `nil` if the log doesn't store them.
  case opened(secret: [UInt8]?)
  /// Why the log can't be opened yet. The log goes on trying. Each reason is reported once.
  case waiting(StorageFault)
  /// The log can't be opened until an operator mends the cause. All requests are refused, and `.closed` follows.
  case unusable(StorageFault)
  case appended(AppendedRecords)
  case read(id: UInt64, RecordPage)
  case loaded(id: UInt64, LoadedRoom)
  /// The room is followed: everything that was stored in it before the request has been reported.
  case following(id: UInt64, room: String)
  /// The room is no longer followed. An event without an `id` means that the caller didn't ask for that: the log can't
  /// report what comes next in the room, and the caller has to load the room again.
  case unfollowed(id: UInt64?, room: String)
  case told(id: UInt64, room: String?)
  /// A message that another node has sent to the followers of a room, or, without a room, to all nodes.
  case heard(room: String?, bytes: [UInt8])
  case locked(id: UInt64, room: String, isLocked: Bool)
  /// The rooms that are locked: only operators write to them. A log that nodes share reports the list when it is
  /// opened, and whenever another node has changed a lock.
  case locks(Set<String>)
  case created(id: UInt64, room: String)
  case snapshotted(id: UInt64, room: String, position: UInt64)
  /// Records up to `through` were dropped. An event without an `id` means that retention dropped them.
  case trimmed(id: UInt64?, room: String, through: UInt64)
  case retained(id: UInt64)
  /// The room was deleted. An event without an `id` means that another node deleted it.
  case deleted(id: UInt64?, room: String, epoch: UInt64)
  /// The room was repaired: its records now begin after `first` and end with `last`, and it has this epoch.
  case repaired(id: UInt64, room: String, epoch: UInt64, first: UInt64, last: UInt64)
  case verified(id: UInt64, room: String, records: Int)
  case verifiedPart(id: UInt64, VerifiedPart)
  case rooms(id: UInt64, [RoomSummary])
  /// The request wasn't carried out. There is one exception: an append that failed with `.unavailable` may still be
  /// stored. It is then reported to followers like an append of another node, without an `id`.
  case failed(id: UInt64, room: String?, LogError)
  /// Whether appends can be stored: in one room, or, if no room is named, in all rooms. Reported when it changes.
  case availability(room: String?, StorageFault?)
  /// The log goes on from another copy, which may lack records that were reported. From now on requests have to carry
  /// this number, which shows from which copy the caller has its knowledge.
  /// - Parameter lost: a room that has lost records that were reported. The room is no longer followed.
  case otherTimeline(UInt64, lost: String?)
  /// Whether rooms can be read and followed, in a log that nodes share. Reported when reading has been impossible for
  /// some seconds, and when it is possible again.
  case readability(StorageFault?)
  /// A problem with the storage that an operator should know of, in words. The log goes on.
  case concern(String)
  /// Messages from other nodes may have been lost, because the connection to the database was down.
  case missedNews
  case committed(CommitReport)
  case closed
}

/// Records that are durable.
public struct AppendedRecords: Hashable, Sendable {
  /// The request that appended the records. `nil` if another process appended them.
  public var id: UInt64?
  public var room: String
  /// The room's epoch. It is the epoch of the request, with one exception: the append was to create the room, and
  /// another node had already created it.
  public var epoch: UInt64
  /// The records, in the order of their positions. There is at least one.
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
  /// When the record arrived at a server. It is never earlier than the time of the record before.
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
  /// The position after which the next page begins: the `after` of the next request.
  public var through: UInt64
  /// Whether this page reaches the bound of the request.
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
  /// When the last record that the snapshot covers arrived.
  public var milliseconds: UInt64
  /// How many operations the room had up to the snapshot.
  public var operations: UInt64
  public var shapes: UInt64
  public var byteCount: Int
}

public struct RoomSummary: Hashable, Sendable {
  public var room: String
  public var epoch: UInt64
  /// The position of the room's last record.
  public var last: UInt64
  /// The position up to which records were dropped. 0 if all are still stored.
  public var trimmed: UInt64
  /// How many operations the room has had, including those in dropped records.
  public var operations: UInt64
  public var createdMilliseconds: UInt64
  public var changedMilliseconds: UInt64
  /// The newest complete snapshot. If it is at `last`, its number of shapes is that of the room.
  public var snapshot: SnapshotPlace?
  /// The damage because of which the room is refused. `nil` if it isn't refused.
  public var damage: LogError?
}

/// The report of one commit, for metrics and for log lines about slow commits.
public struct CommitReport: Hashable, Sendable {
  public var rooms: Int
  public var records: Int
  public var bytes: Int
  public var microseconds: UInt64
}
