/// An answer to a request, or something that the log reports by itself.
public enum LogEvent: Hashable, Sendable {
  /// The log is open. Reported once.
  /// - Parameter secret: random bytes that all nodes share. `nil` if this log doesn't store any.
  case opened(secret: [UInt8]?)
  /// The log can't be opened yet, for this reason. The log keeps trying, and reports each reason once.
  case waiting(StorageFault)
  /// The log can't be opened until an operator removes the cause. It refuses all requests, and then reports `.closed`.
  case unusable(StorageFault)
  case appended(AppendedRecords)
  case read(id: UInt64, RecordPage)
  case loaded(id: UInt64, LoadedRoom)
  /// The room is followed. Everything that was stored in it before the request has been reported.
  case following(id: UInt64, room: String)
  /// The room is no longer followed. With an `id`, the caller has asked for that. Without one, the log can no longer
  /// report all new records, so the caller has to load the room again.
  case unfollowed(id: UInt64?, room: String)
  /// Much of what other nodes have stored in the room was reported. The log reports more only after `.resume`, so that
  /// a backlog doesn't fill the memory of a caller that applies records more slowly than the log reads them.
  case paused(room: String)
  case resumed(id: UInt64, room: String)
  case locked(id: UInt64, room: String, isLocked: Bool)
  /// The names of all locked rooms, which only operators can write to. A log that nodes share reports them when it
  /// opens, and again when another node has changed a lock.
  case locks(Set<String>)
  case created(id: UInt64, room: String)
  case snapshotted(id: UInt64, room: String, position: UInt64)
  /// Records up to and including `through` were dropped. Without an `id`, retention dropped them.
  case trimmed(id: UInt64?, room: String, through: UInt64)
  case retained(id: UInt64)
  /// The room was deleted. Without an `id`, another node deleted it.
  case deleted(id: UInt64?, room: String, epoch: UInt64)
  /// The room was repaired. It now has this epoch, and its records are those after `first`, up to and including `last`.
  case repaired(id: UInt64, room: String, epoch: UInt64, first: UInt64, last: UInt64)
  case verified(id: UInt64, room: String, records: Int)
  case verifiedPart(id: UInt64, VerifiedPart)
  case rooms(id: UInt64, [RoomSummary])
  /// The request wasn't carried out. Only an append that failed with `.unavailable` might be stored after all. It is
  /// then reported without an `id`, like an append by another node.
  case failed(id: UInt64, room: String?, LogError)
  /// Why appends can't be stored: in this room, or in all rooms if `room` is `nil`. A fault of `nil` reports that they
  /// can be stored again.
  case availability(room: String?, StorageFault?)
  /// The log has switched to another copy of the database, which may lack records that were reported. The first value
  /// is the new timeline. From now on, requests have to carry it.
  /// - Parameter lost: a room that has lost reported records. It is no longer followed.
  case otherTimeline(UInt64, lost: String?)
  /// Why rooms can't be read or followed, in a log that nodes share. It is reported after reading has failed for some
  /// seconds. `nil` reports that reading works again.
  case readability(StorageFault?)
  /// A problem with the storage that an operator should know of, as text. The log goes on.
  case concern(String)
  case committed(CommitReport)
  case closed
}

extension LogEvent {
  /// The number of the request that the event answers. `nil` for what the log reports by itself.
  public var id: UInt64? {
    switch self {
    case .appended(let appended): appended.id
    case .unfollowed(let id, _), .trimmed(let id, _, _), .deleted(let id, _, _): id
    case .read(let id, _), .loaded(let id, _), .following(let id, _), .resumed(let id, _), .locked(let id, _, _),
      .created(let id, _), .snapshotted(let id, _, _), .retained(let id), .repaired(let id, _, _, _, _),
      .verified(let id, _, _), .verifiedPart(let id, _), .rooms(let id, _), .failed(let id, _, _):
      id
    case .opened, .waiting, .unusable, .paused, .locks, .availability, .readability, .otherTimeline, .concern,
      .committed, .closed:
      nil
    }
  }
}

/// Durable records of one room, in order.
public struct AppendedRecords: Hashable, Sendable {
  /// The request that appended the records. `nil` if another process, or an earlier one, appended them.
  public var id: UInt64?
  public var room: String
  /// The room's epoch. It differs from the epoch in the request only if another node created the room first.
  public var epoch: UInt64
  /// The records in the order of their positions. Never empty.
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
  /// When the record arrived at a server. Times never decrease within a room.
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
  /// The last position that this page covers. The request for the next page passes it as `after`.
  public var through: UInt64
  /// Whether this is the last page up to the bound that the request names.
  public var isLast: Bool
}

public struct LoadedRoom: Hashable, Sendable {
  public var summary: RoomSummary
  public var snapshot: RoomSnapshot?
  /// The snapshot with which the kept history begins, where no snapshot was asked for. `nil` if the history begins with
  /// the room's first record.
  public var base: SnapshotPlace?
  /// The damaged snapshots, newest first, in whose place an older one is used, or all records.
  public var passedOver: [LogError] = []
}

public struct RoomSnapshot: Hashable, Sendable {
  public var place: SnapshotPlace
  public var bytes: [UInt8]
}

/// Where a snapshot is in a room's log.
public struct SnapshotPlace: Hashable, Sendable {
  public var position: UInt64
  /// The arrival time of the last record that the snapshot covers.
  public var milliseconds: UInt64
  /// How many operations the room's log has up to that position.
  public var operations: UInt64
  public var shapes: UInt64
  public var byteCount: Int
}

public struct RoomSummary: Hashable, Sendable {
  public var room: String
  public var epoch: UInt64
  /// The position of the room's last record.
  public var last: UInt64
  /// The position of the last dropped record. 0 if no record was dropped.
  public var trimmed: UInt64
  /// The number of all operations so far, including those in dropped records.
  public var operations: UInt64
  public var createdMilliseconds: UInt64
  public var changedMilliseconds: UInt64
  /// The newest complete snapshot. If its position is `last`, the snapshot has as many shapes as the room has now.
  public var snapshot: SnapshotPlace?
  /// The damage because of which the room can't be opened. `nil` if there is none.
  public var damage: LogError?
}

/// Statistics of one commit, for metrics and for log lines about slow commits.
public struct CommitReport: Hashable, Sendable {
  public var rooms: Int
  public var records: Int
  public var bytes: Int
  public var microseconds: UInt64
}
