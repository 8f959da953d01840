/// A request to a log. The caller chooses the `id`; the answer carries it.
public enum LogRequest: Sendable {
  case append(AppendRequest)
  case read(ReadRequest)
  case load(LoadRequest)
  case follow(FollowRequest)
  /// Stops following. Records on their way may still be reported.
  case unfollow(id: UInt64, room: String)
  /// Tells the other nodes that follow the room something that isn't stored, or without a room all other nodes. It may get
  /// lost. `bytes` are at most `LogRequest.toldBytesMax`.
  case tell(id: UInt64, room: String?, bytes: [UInt8])
  case snapshot(SnapshotRequest)
  case trim(TrimRequest)
  case repair(RepairRequest)
  /// Reads all records and snapshots of a room and compares their checksums.
  case verify(id: UInt64, room: String)
  /// Reads and compares a part of everything that is stored.
  case verifyPart(VerifyRequest)
  /// Begins a room that comes from another log.
  case create(CreateRequest)
  /// Removes a room at once. Its space is freed little by little.
  case delete(id: UInt64, room: String)
  /// Puts on record that only operators write to a room, or that everyone does again. A log that only one process uses
  /// keeps no such record.
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
  /// Which room of that name is meant. 64 random bits for a new one, which no other append has proposed.
  public var epoch: UInt64
  /// Whether this append creates the room if there is none. If another node has created it meanwhile, the append is for
  /// that room: the report tells its epoch. The caller sets it until anything of the room is reported, and not after
  /// that: an append that is under way while the room is deleted then doesn't bring the room back.
  public var mayCreate: Bool
  /// When the server received them. If that is less than the time of the room's last record, the last record's time is
  /// stored instead. Times never go back, so a time marks a place in the log too.
  public var milliseconds: UInt64
  public var records: [NewRecord]
  /// The timeline that the log has told of last. On another, the records might follow what the caller doesn't know, so the
  /// append is refused as unavailable.
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

  /// How many bytes it counts for in a queue.
  var cost: Int { records.reduce(64) { $0 + $1.bytes.count + 32 } }
}

/// A record before it has a position.
public struct NewRecord: Hashable, Sendable {
  public var bytes: [UInt8]
  /// How many operations the bytes hold. The list of rooms shows their sum, and retention goes by it.
  public var operations: UInt32

  public init(bytes: [UInt8], operations: UInt32) {
    self.bytes = bytes
    self.operations = operations
  }
}

/// How far to go into a room's log.
public enum LogBound: Hashable, Sendable {
  case end
  /// Up to this position, inclusive.
  case position(UInt64)
  /// Everything that had arrived by this time.
  case milliseconds(UInt64)
}

/// A page of a room's records. A caller asks for the next when it has dealt with this one.
public struct ReadRequest: Sendable {
  public var id: UInt64
  public var room: String
  /// If given, the request is refused where the room has another epoch.
  public var epoch: UInt64?
  /// The last position that the caller has already.
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

/// Asks for what a fold of the room starts from: its summary and the newest snapshot not past `through`.
public struct LoadRequest: Sendable {
  public var id: UInt64
  public var room: String
  public var through: LogBound
  /// False for the summary alone. A snapshot may be large.
  public var wantsSnapshot: Bool

  public init(id: UInt64, room: String, through: LogBound = .end, wantsSnapshot: Bool = true) {
    self.id = id
    self.room = room
    self.through = through
    self.wantsSnapshot = wantsSnapshot
  }
}

/// Asks to be told what is stored in a room from now on, whoever stores it, and of its deletion. The answer comes when all
/// that was stored before has been reported. So a caller that follows the room already asks again to learn of everything
/// that another node has seen. A caller that is refused doesn't follow the room, unless it did before.
public struct FollowRequest: Sendable {
  public var id: UInt64
  public var room: String
  /// Which room of that name is meant; nil for one that is yet to be created, by this node or another.
  public var epoch: UInt64?
  /// The last position that the caller has read.
  public var after: UInt64
  /// The timeline on which it has read that.
  public var timeline: UInt64

  public init(id: UInt64, room: String, epoch: UInt64?, after: UInt64, timeline: UInt64 = 0) {
    self.timeline = timeline
    self.id = id
    self.room = room
    self.epoch = epoch
    self.after = after
  }
}

/// The fold of a room's records up to `position`.
///
/// A log that nodes share stores it only while its caller follows this room up to that position, and nothing of what was reported
/// is in doubt. Other nodes will start from it, and the records before it are dropped in time. Copies are exempt.
public struct SnapshotRequest: Sendable {
  public var id: UInt64
  public var room: String
  public var epoch: UInt64
  /// A position that the log has reported.
  public var position: UInt64
  /// How many live shapes it has, for the list of rooms.
  public var shapes: UInt64
  public var bytes: [UInt8]
  /// Whether it comes from another log, with the records that it was made of.
  public var isCopy: Bool
  /// The place in the log that it comes from, of a snapshot whose record is in no log any more.
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

/// A room as it was in another log, from where its records began there: the next append gets the position after `trimmed`.
public struct CreateRequest: Sendable {
  public var id: UInt64
  public var room: String
  public var epoch: UInt64
  /// Records up to here are in no log any more. A snapshot of that place has to follow.
  public var trimmed: UInt64
  /// How many operations the room had taken by then.
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

/// Drops the records up to the newest snapshot that is not past `through`; without one, nothing is dropped.
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

/// An operator's decision about a damaged room. Nothing is dropped without one.
public struct RepairRequest: Sendable {
  public enum Means: Hashable, Sendable {
    /// Drops the records that the newest snapshot covers, if it covers the damage. History is lost, but not the
    /// drawing.
    case snapshot
    /// Drops the damaged record and all after it. The room gets the new epoch, because clients may have seen those
    /// records.
    case cutting(newEpoch: UInt64)
    /// Drops a damaged snapshot, if there is something to start from without it. Nothing is lost.
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

  /// The timeline on which its caller takes the log to be, where that matters.
  var timeline: UInt64? {
    switch self {
    case .append(let request): request.timeline
    case .follow(let request): request.timeline
    case .snapshot(let request): request.timeline
    default: nil
    }
  }

  /// The room that it is about, if any.
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

  /// Whether it changes what is in rooms or which rooms there are. Such requests are carried out one after the other.
  var isWrite: Bool {
    switch self {
    case .append, .create, .delete: true
    default: false
    }
  }

  /// Whether it may be refused as busy. It carries bytes, and its caller can keep them or do without.
  var mayWaitElsewhere: Bool {
    switch self {
    case .append, .tell, .snapshot: true
    case .read, .load, .follow, .unfollow, .trim, .repair, .verify, .verifyPart, .create, .delete, .lock, .list,
      .retain:
      false
    }
  }

  /// How many bytes it counts for in a queue.
  var cost: Int {
    switch self {
    case .append(let request): request.cost
    case .snapshot(let request): 64 + request.bytes.count
    default: 64
    }
  }
}
