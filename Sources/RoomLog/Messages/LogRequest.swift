/// A request to a log. The caller chooses the `id`; the answer carries it.
public enum LogRequest: Sendable {
  case append(AppendRequest)
  case read(ReadRequest)
  case load(LoadRequest)
  case follow(FollowRequest)
  /// Stops following a room. Records that are on their way may still be reported.
  case unfollow(id: UInt64, room: String)
  /// Sends a message to the other nodes that follow the room, or, without a room, to all other nodes. The message isn't
  /// stored and may get lost. It has at most `LogRequest.toldBytesMax` bytes.
  case tell(id: UInt64, room: String?, bytes: [UInt8])
  case snapshot(SnapshotRequest)
  case trim(TrimRequest)
  case repair(RepairRequest)
  /// Reads all records and snapshots of a room and compares their checksums.
  case verify(id: UInt64, room: String)
  /// Verifies the next part of everything that is stored.
  case verifyPart(VerifyRequest)
  /// Creates a room that is copied from another log.
  case create(CreateRequest)
  /// Removes a room at once. Its space is freed little by little.
  case delete(id: UInt64, room: String)
  /// Stores whether the room is locked, which means that only operators write to it. A log for a single process doesn't
  /// store locks.
  case lock(id: UInt64, room: String, isLocked: Bool)
  case list(id: UInt64)
  /// Trims each room to what retention keeps, as of `milliseconds`. The log's owner sends this request now and then.
  /// The answer is `.retained`, after one `.trimmed` for each room that was trimmed.
  case retain(id: UInt64, milliseconds: UInt64)
}

/// Records to store at the end of a room: all of them or none.
public struct AppendRequest: Sendable {
  public var id: UInt64
  public var room: String
  /// The epoch of the room that is meant. For a new room, the epoch is 64 random bits that no other append has
  /// proposed.
  public var epoch: UInt64
  /// Whether the append creates the room if there is none. If another node has created the room meanwhile, the append
  /// goes into that room, and the report has that room's epoch. The caller may set this only until something about the
  /// room has been reported. Otherwise an append that was under way could bring back a deleted room.
  public var mayCreate: Bool
  /// When the server received the records. If that is earlier than the time of the room's last record, the last
  /// record's time is stored instead. So the times in a log never go back, and a time marks a place in the log, too.
  public var milliseconds: UInt64
  public var records: [NewRecord]
  /// The newest timeline that the log has reported to the caller. If the log goes on from another timeline, the log may
  /// have records there that the caller doesn't know. The append would follow them, so it is refused as unavailable.
  public var timeline: UInt64

  public init(
    id: UInt64,
    room: String,
    epoch: UInt64,
    mayCreate: Bool = false,
    milliseconds: UInt64,
    records: [NewRecord],
    timeline: UInt64 = 0
  ) {
    self.timeline = timeline
    self.id = id
    self.room = room
    self.epoch = epoch
    self.mayCreate = mayCreate
    self.milliseconds = milliseconds
    self.records = records
  }

  /// How many bytes the request counts as in a queue.
  var cost: Int { records.reduce(64) { $0 + $1.bytes.count + 32 } }
}

/// A record that has no position yet.
public struct NewRecord: Hashable, Sendable {
  public var bytes: [UInt8]
  /// How many operations the bytes contain. The list of rooms shows the sum of these counts, and retention divides
  /// history by it.
  public var operations: UInt32

  public init(bytes: [UInt8], operations: UInt32) {
    self.bytes = bytes
    self.operations = operations
  }
}

/// Up to where a room's log is read.
public enum LogBound: Hashable, Sendable {
  case end
  /// Up to and including the record at this position.
  case position(UInt64)
  /// Up to and including the last record that had arrived by this time.
  case milliseconds(UInt64)
}

/// Asks for a page of a room's records. The caller asks for the next page when it has processed this one.
public struct ReadRequest: Sendable {
  public var id: UInt64
  public var room: String
  /// The epoch that the room must have. `nil` if any epoch will do.
  public var epoch: UInt64?
  /// The position of the last record that the caller has.
  public var after: UInt64
  public var through: LogBound
  /// The page ends with the record that reaches this size. So even a record that is larger than the bound is read
  /// whole.
  public var bytesMax: Int

  public init(
    id: UInt64,
    room: String,
    epoch: UInt64? = nil,
    after: UInt64,
    through: LogBound = .end,
    bytesMax: Int = 262_144
  ) {
    self.id = id
    self.room = room
    self.epoch = epoch
    self.after = after
    self.through = through
    self.bytesMax = bytesMax
  }
}

/// Asks for what a fold of the room begins with: the room's summary, and its newest snapshot at or before `through`.
public struct LoadRequest: Sendable {
  public var id: UInt64
  public var room: String
  public var through: LogBound
  /// Whether the answer should contain the snapshot, which may be large, or only the summary.
  public var wantsSnapshot: Bool

  public init(id: UInt64, room: String, through: LogBound = .end, wantsSnapshot: Bool = true) {
    self.id = id
    self.room = room
    self.through = through
    self.wantsSnapshot = wantsSnapshot
  }
}

/// Follows a room: from now on, the log reports whatever any node stores in the room, and also the room's deletion. The
/// answer comes when everything that was stored before has been reported. So a caller that already follows the room can
/// send the request again to learn everything that another node has seen. If the request is refused, the caller doesn't
/// follow the room, unless it did before.
public struct FollowRequest: Sendable {
  public var id: UInt64
  public var room: String
  /// The epoch of the room that is meant. `nil` for a room that this node or another has yet to create.
  public var epoch: UInt64?
  /// The last position that the caller has read.
  public var after: UInt64
  /// The timeline that the log was on when the caller read up to `after`.
  public var timeline: UInt64

  public init(id: UInt64, room: String, epoch: UInt64?, after: UInt64, timeline: UInt64 = 0) {
    self.timeline = timeline
    self.id = id
    self.room = room
    self.epoch = epoch
    self.after = after
  }
}

/// Stores a snapshot: the fold of a room's records up to `position`.
///
/// A log that nodes share stores the snapshot only if two conditions hold: its caller follows the room up to that
/// position, and no reported record is in doubt. Otherwise other nodes could open the room from a wrong snapshot, after
/// the records before it have been dropped. Copies from another log are stored without these conditions.
public struct SnapshotRequest: Sendable {
  public var id: UInt64
  public var room: String
  public var epoch: UInt64
  /// The position of the last record in the fold. It must be one that the log has reported.
  public var position: UInt64
  /// How many live shapes the room has, for the list of rooms.
  public var shapes: UInt64
  public var bytes: [UInt8]
  /// Whether the snapshot is copied from another log, together with the records that it was made of.
  public var isCopy: Bool
  /// The snapshot's place in the other log, if the record at that place is no longer in any log.
  public var origin: SnapshotPlace?
  /// The timeline that the log was on when it reported the records.
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

/// Creates a room that is copied from another log. Its records begin where they begin in that log: the next append gets
/// the position after `trimmed`.
public struct CreateRequest: Sendable {
  public var id: UInt64
  public var room: String
  public var epoch: UInt64
  /// The position up to which no log has the records any more. If it isn't 0, a snapshot at that position has to
  /// follow.
  public var trimmed: UInt64
  /// How many operations were in the records up to `trimmed`.
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

/// Drops the records up to the newest snapshot at or before `through`. If there is no such snapshot, nothing is
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

/// What an operator has decided about a damaged room. Without such a decision, nothing is dropped.
public struct RepairRequest: Sendable {
  public enum Means: Hashable, Sendable {
    /// Drops the records that the newest snapshot covers, if the damaged ones are among them. The room's history is
    /// lost, but not its drawing.
    case snapshot
    /// Drops the damaged record and all later ones. The room gets a new epoch, because clients may have seen those
    /// records.
    case cutting(newEpoch: UInt64)
    /// Drops a damaged snapshot, if the room can be opened without it. Nothing else is lost.
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
  public static let toldBytesMax = 5_500

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
    case .verify(let id, _), .delete(let id, _), .unfollow(let id, _), .tell(let id, _, _), .lock(let id, _, _),
      .list(let id),
      .retain(let id, _):
      id
    }
  }

  /// The timeline that the caller knows. `nil` for requests that are the same on every timeline.
  var timeline: UInt64? {
    switch self {
    case .append(let request): request.timeline
    case .follow(let request): request.timeline
    case .snapshot(let request): request.timeline
    default: nil
    }
  }

  /// The room of the request, if it has one.
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
    case .verify(_, let room), .delete(_, let room), .unfollow(_, let room), .lock(_, let room, _): room
    case .tell(_, let room, _): room
    case .list, .retain, .verifyPart: nil
    }
  }

  public var isAppend: Bool { if case .append = self { true } else { false } }

  /// Whether the request changes rooms, or which rooms there are. Such requests are carried out one after the other.
  var isWrite: Bool {
    switch self {
    case .append, .create, .delete: true
    default: false
    }
  }

  /// Whether the request may be refused as busy: it carries many bytes, and the caller can keep them or do without the
  /// request.
  var mayWaitElsewhere: Bool {
    switch self {
    case .append, .tell, .snapshot: true
    case .read, .load, .follow, .unfollow, .trim, .repair, .verify, .verifyPart, .create, .delete, .lock, .list,
      .retain:
      false
    }
  }

  /// How many bytes the request counts as in a queue.
  var cost: Int {
    switch self {
    case .append(let request): request.cost
    case .snapshot(let request): 64 + request.bytes.count
    default: 64
    }
  }
}
