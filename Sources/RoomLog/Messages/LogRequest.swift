/// A request to a log. The caller chooses the `id`; the answer carries it.
public enum LogRequest: Sendable {
  case append(AppendRequest)
  case read(ReadRequest)
  case load(LoadRequest)
  case follow(FollowRequest)
  /// Stops following. Records on their way may still be reported.
  case unfollow(id: UInt64, room: String)
  /// Sends a message that isn't stored to the other nodes that follow the room, or, without a room, to all other nodes.
  /// It may get lost. `bytes` are at most `LogRequest.toldBytesMax`.
  case tell(id: UInt64, room: String?, bytes: [UInt8])
  case snapshot(SnapshotRequest)
  case trim(TrimRequest)
  case repair(RepairRequest)
  /// Reads all records and snapshots of a room and compares their checksums.
  case verify(id: UInt64, room: String)
  /// Reads and compares a part of everything that is stored.
  case verifyPart(VerifyRequest)
  /// Creates a room that comes from another log.
  case create(CreateRequest)
  /// Removes a room at once. Its space is freed little by little.
  case delete(id: UInt64, room: String)
  /// Stores that only operators write to a room, or that everyone does again. A log for a single process doesn't store
  /// locks.
  case lock(id: UInt64, room: String, isLocked: Bool)
  case list(id: UInt64)
  /// Trims each room to what the log's retention keeps, as of `milliseconds`. The owner sends this now and then. The
  /// answer is `.retained`, after one `.trimmed` for each room that was trimmed.
  case retain(id: UInt64, milliseconds: UInt64)
}

/// Records to store at the end of a room: all of them or none.
public struct AppendRequest: Sendable {
  public var id: UInt64
  public var room: String
  /// Which room of that name is meant. For a new room: 64 random bits, which no other append has proposed.
  public var epoch: UInt64
  /// Whether this append creates the room if there is none. If another node has created it meanwhile, the append goes
  /// into that room, and the report has its epoch. The caller sets this until something about the room is reported, and
  /// not after that, so that an append under way doesn't bring back a deleted room.
  public var mayCreate: Bool
  /// When the server received the records. If that is earlier than the room's last record, the last record's time is
  /// stored instead. Times never go back, so a time marks a place in the log too.
  public var milliseconds: UInt64
  public var records: [NewRecord]
  /// The newest timeline that the log has reported. If the log is on another, the records might follow some that the
  /// caller doesn't know, so the append is refused as unavailable.
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

  /// How many bytes the request counts for in a queue.
  var cost: Int { records.reduce(64) { $0 + $1.bytes.count + 32 } }
}

/// A record that has no position yet.
public struct NewRecord: Hashable, Sendable {
  public var bytes: [UInt8]
  /// How many operations the bytes have. The list of rooms shows their sum, and retention goes by it.
  public var operations: UInt32

  public init(bytes: [UInt8], operations: UInt32) {
    self.bytes = bytes
    self.operations = operations
  }
}

/// How much of a room's log to read.
public enum LogBound: Hashable, Sendable {
  case end
  /// Up to this position, inclusive.
  case position(UInt64)
  /// Everything that had arrived by this time.
  case milliseconds(UInt64)
}

/// Asks for a page of a room's records. A caller asks for the next page when it has dealt with this one.
public struct ReadRequest: Sendable {
  public var id: UInt64
  public var room: String
  /// If given, the request is refused if the room has another epoch.
  public var epoch: UInt64?
  /// The position of the last record that the caller has.
  public var after: UInt64
  public var through: LogBound
  /// The page ends with the record that reaches this size, so a single large record is still read whole.
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

/// Asks for the start of a fold of the room: its summary and the newest snapshot not past `through`.
public struct LoadRequest: Sendable {
  public var id: UInt64
  public var room: String
  public var through: LogBound
  /// Whether the answer has the snapshot, which may be large, or only the summary.
  public var wantsSnapshot: Bool

  public init(id: UInt64, room: String, through: LogBound = .end, wantsSnapshot: Bool = true) {
    self.id = id
    self.room = room
    self.through = through
    self.wantsSnapshot = wantsSnapshot
  }
}

/// Follows a room: reports what is stored in it from now on, by any node, and its deletion. The answer comes when
/// everything that was stored before has been reported. So a caller that follows the room already can ask again to
/// learn of everything that another node has seen. If the request is refused, the caller doesn't follow the room,
/// unless it did before.
public struct FollowRequest: Sendable {
  public var id: UInt64
  public var room: String
  /// Which room of that name is meant; `nil` for a room that this node or another has yet to create.
  public var epoch: UInt64?
  /// The last position that the caller has read.
  public var after: UInt64
  /// The timeline on which the caller has read that far.
  public var timeline: UInt64

  public init(id: UInt64, room: String, epoch: UInt64?, after: UInt64, timeline: UInt64 = 0) {
    self.timeline = timeline
    self.id = id
    self.room = room
    self.epoch = epoch
    self.after = after
  }
}

/// Stores the fold of a room's records up to `position`.
///
/// A log that nodes share stores it only while its caller follows the room up to that position, and nothing of what was
/// reported is in doubt. Other nodes will start from it, and records before it are dropped in time. This doesn't apply
/// to copies.
public struct SnapshotRequest: Sendable {
  public var id: UInt64
  public var room: String
  public var epoch: UInt64
  /// A position that the log has reported.
  public var position: UInt64
  /// How many live shapes the room has, for the list of rooms.
  public var shapes: UInt64
  public var bytes: [UInt8]
  /// Whether the snapshot is copied from another log, together with the records that it was made of.
  public var isCopy: Bool
  /// Its place in the other log, if no log has the record at that place any more.
  public var origin: SnapshotPlace?
  /// The timeline on which the records were reported.
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

/// Creates a room as it was in another log from where its records began there: the next append gets the position after
/// `trimmed`.
public struct CreateRequest: Sendable {
  public var id: UInt64
  public var room: String
  public var epoch: UInt64
  /// No log has the records up to here any more. A snapshot of that place must follow.
  public var trimmed: UInt64
  /// How many operations the room had by then.
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

/// Drops the records up to the newest snapshot that is not past `through`. If there is no such snapshot, nothing is
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

/// An operator's decision about a damaged room. Nothing is dropped without such a decision.
public struct RepairRequest: Sendable {
  public enum Means: Hashable, Sendable {
    /// Drops the records that the newest snapshot covers, if it covers the damage. History is lost, but not the
    /// drawing.
    case snapshot
    /// Drops the damaged record and all after it. The room gets the new epoch, because clients may have seen those
    /// records.
    case cutting(newEpoch: UInt64)
    /// Drops a damaged snapshot, if the room can be opened without it. Nothing is lost.
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

  /// The timeline that the caller knows, for requests to which it matters.
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

  /// Whether the request may be refused as busy. It carries bytes, and its caller can keep them or do without.
  var mayWaitElsewhere: Bool {
    switch self {
    case .append, .tell, .snapshot: true
    case .read, .load, .follow, .unfollow, .trim, .repair, .verify, .verifyPart, .create, .delete, .lock, .list,
      .retain:
      false
    }
  }

  /// How many bytes the request counts for in a queue.
  var cost: Int {
    switch self {
    case .append(let request): request.cost
    case .snapshot(let request): 64 + request.bytes.count
    default: 64
    }
  }
}
