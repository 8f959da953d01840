/// A request to a log. The caller chooses the `id`; the answer carries it.
public enum LogRequest: Sendable {
  case append(AppendRequest)
  case read(ReadRequest)
  case load(LoadRequest)
  case follow(FollowRequest)
  /// The caller has applied everything that was reported of a followed room before `.paused`, so the log reports more.
  case resume(id: UInt64, room: String)
  /// Stops following a room. Until the answer comes, the log can still report records of the room.
  case unfollow(id: UInt64, room: String)
  case snapshot(SnapshotRequest)
  case trim(TrimRequest)
  case repair(RepairRequest)
  /// Reads all records and snapshots of a room, and checks their checksums.
  case verify(id: UInt64, room: String)
  /// Verifies the next part of the whole log.
  case verifyPart(VerifyRequest)
  /// Creates a room that is copied from another log.
  case create(CreateRequest)
  /// Removes a room at once. Its space is freed in the background.
  case delete(id: UInt64, room: String)
  /// Locks or unlocks a room. Only operators can write to a locked room. A log for a single process doesn't store
  /// locks.
  case lock(id: UInt64, room: String, isLocked: Bool)
  case list(id: UInt64)
  /// Trims all rooms by the retention limits. `milliseconds` is the present time. The log's owner sends this request
  /// regularly. The answer is `.retained`, after one `.trimmed` for each room that was trimmed.
  case retain(id: UInt64, milliseconds: UInt64)
}

/// Stores records at the end of a room: all of them or none.
public struct AppendRequest: Sendable {
  public var id: UInt64
  public var room: String
  /// The epoch of the room to append to. For a new room, 64 random bits that the caller draws.
  public var epoch: UInt64
  /// Whether the append creates the room if there is none. If another node has created the room meanwhile, the records
  /// go into that room, and the report has that room's epoch.
  ///
  /// The caller must clear this flag as soon as the log has reported anything about the room. Otherwise an append could
  /// bring back a deleted room.
  public var mayCreate: Bool
  /// When the server received the records. If that is before the room's last record, the log stores the last record's
  /// time, so that times never decrease.
  public var milliseconds: UInt64
  public var records: [NewRecord]
  /// Whether the records are copied from another log, with their time.
  public var isCopy: Bool
  /// The newest timeline that the caller knows. If the log is on a newer timeline, it refuses the append as
  /// unavailable, because there might be records that the caller hasn't seen.
  public var timeline: UInt64

  public init(
    id: UInt64,
    room: String,
    epoch: UInt64,
    mayCreate: Bool = false,
    milliseconds: UInt64,
    records: [NewRecord],
    isCopy: Bool = false,
    timeline: UInt64 = 0
  ) {
    self.timeline = timeline
    self.isCopy = isCopy
    self.id = id
    self.room = room
    self.epoch = epoch
    self.mayCreate = mayCreate
    self.milliseconds = milliseconds
    self.records = records
  }

  /// How many bytes the request counts against the queue's limit.
  var cost: Int { records.reduce(64) { $0 + $1.bytes.count + 32 } }
}

/// A record that has no position yet. The log gives it one.
public struct NewRecord: Hashable, Sendable {
  public var bytes: [UInt8]
  /// How many operations the bytes contain. The list of rooms shows each room's total, and retention uses the number to
  /// choose which snapshots to keep.
  public var operations: UInt32

  public init(bytes: [UInt8], operations: UInt32) {
    self.bytes = bytes
    self.operations = operations
  }
}

/// Where reading a room's log ends.
public enum LogBound: Hashable, Sendable {
  case end
  /// Up to and including the record at this position.
  case position(UInt64)
  /// Up to and including the last record that arrived no later than this time.
  case milliseconds(UInt64)
}

/// Asks for one page of a room's records.
public struct ReadRequest: Sendable {
  public var id: UInt64
  public var room: String
  /// The epoch that the room must have. `nil` allows any epoch.
  public var epoch: UInt64?
  /// The position of the last record that the caller has. The page begins after it.
  public var after: UInt64
  public var through: LogBound
  /// The size at which the page ends. The record that reaches this size still belongs to the page.
  public var bytesMax: Int

  public init(
    id: UInt64,
    room: String,
    epoch: UInt64? = nil,
    after: UInt64,
    through: LogBound = .end,
    bytesMax: Int = 1 << 20
  ) {
    self.id = id
    self.room = room
    self.epoch = epoch
    self.after = after
    self.through = through
    self.bytesMax = bytesMax
  }
}

/// Asks for a room's summary and its newest snapshot at or before `through`. The caller then reads the records after
/// the snapshot.
public struct LoadRequest: Sendable {
  public var id: UInt64
  public var room: String
  public var through: LogBound
  /// Whether the answer includes the snapshot's bytes, which can be many.
  public var wantsSnapshot: Bool

  public init(id: UInt64, room: String, through: LogBound = .end, wantsSnapshot: Bool = true) {
    self.id = id
    self.room = room
    self.through = through
    self.wantsSnapshot = wantsSnapshot
  }
}

/// Follows a room: from now on, the log reports the room's deletion, and all records that any node stores in the room.
///
/// The log answers when it has reported everything that was stored before the request. So a caller that already follows
/// the room can send this request again to catch up with other nodes. A refused request changes nothing: a room that
/// was followed is still followed.
public struct FollowRequest: Sendable {
  public var id: UInt64
  public var room: String
  /// The room's epoch. `nil` for a room that doesn't exist yet.
  public var epoch: UInt64?
  /// The last position that the caller has read.
  public var after: UInt64
  /// The log's timeline at the time when the caller had read up to `after`.
  public var timeline: UInt64

  public init(id: UInt64, room: String, epoch: UInt64?, after: UInt64, timeline: UInt64 = 0) {
    self.timeline = timeline
    self.id = id
    self.room = room
    self.epoch = epoch
    self.after = after
  }
}

/// Stores a snapshot: the room's state after the record at `position`.
///
/// A log that nodes share stores a snapshot only under two conditions: the caller follows the room up to that position,
/// and the database certainly still has all reported records. Otherwise the snapshot could contain lost records.
public struct SnapshotRequest: Sendable {
  public var id: UInt64
  public var room: String
  public var epoch: UInt64
  /// The position of the last record that the snapshot covers. The log must have reported that record.
  public var position: UInt64
  /// How many shapes the room has, without deleted ones. The list of rooms shows it.
  public var shapes: UInt64
  public var bytes: [UInt8]
  /// Whether the snapshot and its records are copied from another log.
  public var isCopy: Bool
  /// For a copy, the snapshot's place in the other log. Needed if the other log has dropped the record at that place.
  public var origin: SnapshotPlace?
  /// The log's timeline when it reported the records.
  public var timeline: UInt64

  public init(
    id: UInt64,
    room: String,
    epoch: UInt64,
    position: UInt64,
    shapes: UInt64,
    bytes: [UInt8],
    isCopy: Bool = false,
    origin: SnapshotPlace? = nil,
    timeline: UInt64 = 0
  ) {
    self.timeline = timeline
    self.isCopy = isCopy
    self.origin = origin
    self.id = id
    self.room = room
    self.epoch = epoch
    self.position = position
    self.shapes = shapes
    self.bytes = bytes
  }
}

/// Creates a room that is copied from another log. Positions stay the same: the first append gets the position after
/// `trimmed`.
public struct CreateRequest: Sendable {
  public var id: UInt64
  public var room: String
  public var epoch: UInt64
  /// The position of the last record that the other log has dropped. If it isn't 0, a snapshot at that position has to
  /// follow.
  public var trimmed: UInt64
  /// How many operations the dropped records had.
  public var operations: UInt64
  public var createdMilliseconds: UInt64

  public init(
    id: UInt64,
    room: String,
    epoch: UInt64,
    trimmed: UInt64,
    operations: UInt64,
    createdMilliseconds: UInt64
  ) {
    self.id = id
    self.room = room
    self.epoch = epoch
    self.trimmed = trimmed
    self.operations = operations
    self.createdMilliseconds = createdMilliseconds
  }
}

/// Drops the records that the newest snapshot at or before `through` covers. Without such a snapshot, nothing is
/// dropped.
public struct TrimRequest: Sendable {
  public var id: UInt64
  public var room: String
  public var epoch: UInt64
  public var through: UInt64

  public init(id: UInt64, room: String, epoch: UInt64, through: UInt64) {
    self.id = id
    self.room = room
    self.epoch = epoch
    self.through = through
  }
}

/// Repairs a damaged room in the way that an operator has chosen. Apart from
/// retention, the log never drops damaged data by itself.
public struct RepairRequest: Sendable {
  public enum Means: Hashable, Sendable {
    /// Drops all records that the newest snapshot covers. This must include all damaged records. The drawing is kept,
    /// but its history is lost.
    case snapshot
    /// Drops the damaged record and all records after it. The room gets a new epoch, because clients may have seen
    /// those records.
    case cutting(newEpoch: UInt64)
    /// Drops a damaged snapshot. The room must be openable without it. Nothing else is lost.
    case droppingSnapshot(position: UInt64)
  }

  public var id: UInt64
  public var room: String
  public var means: Means

  public init(id: UInt64, room: String, means: Means) {
    self.id = id
    self.room = room
    self.means = means
  }
}

extension LogRequest {
  public var id: UInt64 {
    switch self {
    case .append(let request): request.id
    case .read(let request): request.id
    case .load(let request): request.id
    case .follow(let request): request.id
    case .create(let request): request.id
    case .snapshot(let request): request.id
    case .trim(let request): request.id
    case .repair(let request): request.id
    case .verifyPart(let request): request.id
    case .verify(let id, _), .delete(let id, _), .unfollow(let id, _), .resume(let id, _),
      .lock(let id, _, _), .list(let id), .retain(let id, _):
      id
    }
  }

  /// The timeline that the caller knows. `nil` for requests that don't depend on it.
  var timeline: UInt64? {
    switch self {
    case .append(let request): request.timeline
    case .follow(let request): request.timeline
    case .snapshot(let request): request.timeline
    default: nil
    }
  }

  public var room: String? {
    switch self {
    case .append(let request): request.room
    case .read(let request): request.room
    case .load(let request): request.room
    case .follow(let request): request.room
    case .create(let request): request.room
    case .snapshot(let request): request.room
    case .trim(let request): request.room
    case .repair(let request): request.room
    case .verify(_, let room), .delete(_, let room), .unfollow(_, let room), .resume(_, let room): room
    case .lock(_, let room, _): room
    case .list, .retain, .verifyPart: nil
    }
  }

  public var isAppend: Bool { if case .append = self { true } else { false } }

  /// Whether the request changes a room or the list of rooms. Such requests are carried out one at a time.
  var isWrite: Bool {
    switch self {
    case .append, .create, .delete: true
    default: false
    }
  }

  /// Whether the request may be refused as busy: it has many bytes, and the caller can send it later or drop it.
  var mayWaitElsewhere: Bool {
    switch self {
    case .append, .snapshot: true
    case .read, .load, .follow, .unfollow, .resume, .trim, .repair, .verify, .verifyPart, .create, .delete, .lock,
      .list, .retain:
      false
    }
  }

  /// How many bytes the request counts against the queue's limit.
  var cost: Int {
    switch self {
    case .append(let request): request.cost
    case .snapshot(let request): 64 + request.bytes.count
    default: 64
    }
  }
}
