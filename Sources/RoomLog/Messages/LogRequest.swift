/// What a log is asked to do. Each case's `id` is the caller's, and comes back with the answer.
public enum LogRequest: Sendable {
  case append(AppendRequest)
  case read(ReadRequest)
  case load(LoadRequest)
  case snapshot(SnapshotRequest)
  case trim(TrimRequest)
  case repair(RepairRequest)
  /// Reads all records and snapshots of a room and compares their checksums.
  case verify(id: UInt64, room: String)
  /// Removes a room at once; its space is given back little by little.
  case delete(id: UInt64, room: String)
  case list(id: UInt64)
  /// Trims each room to what the log's retention keeps, as of `milliseconds`. To be sent now and then. The answer is
  /// `.retained`, after a `.trimmed` for each room that was.
  case retain(id: UInt64, milliseconds: UInt64)
}

/// Records to store at the end of a room: all of them or none.
public struct AppendRequest: Sendable {
  public var id: UInt64
  public var room: String
  /// Which room of that name is meant. 64 random bits for a new one.
  public var epoch: UInt64
  /// Whether the room comes into being with this append if there is none: true until the first append was reported. An
  /// append that is under way when its room is deleted doesn't bring it back, then.
  public var mayCreate: Bool
  /// The server's time of arrival. Where it is less than the room's last, that one is stored, so that a time too is a
  /// place in the log.
  public var milliseconds: UInt64
  public var records: [NewRecord]

  public init(
    id: UInt64,
    room: String,
    epoch: UInt64,
    mayCreate: Bool = false,
    milliseconds: UInt64,
    records: [NewRecord]
  ) {
    self.id = id
    self.room = room
    self.epoch = epoch
    self.mayCreate = mayCreate
    self.milliseconds = milliseconds
    self.records = records
  }

  /// What it weighs in a queue.
  var cost: Int { records.reduce(64) { $0 + $1.bytes.count + 32 } }
}

/// A record before it has a position.
public struct NewRecord: Hashable, Sendable {
  public var bytes: [UInt8]
  /// How many operations the bytes hold, for the sums by which rooms are listed and history is kept.
  public var operations: UInt32

  public init(bytes: [UInt8], operations: UInt32) {
    self.bytes = bytes
    self.operations = operations
  }
}

/// How far to go into a room's log.
public enum LogBound: Hashable, Sendable {
  case end
  /// Up to this position, and with it.
  case position(UInt64)
  /// All that had arrived by then.
  case milliseconds(UInt64)
}

/// A page of a room's records. A caller asks for the next when it has dealt with this one.
public struct ReadRequest: Sendable {
  public var id: UInt64
  public var room: String
  /// Refused where the room of that name is another; nil takes whichever it is.
  public var epoch: UInt64?
  /// The last position that the caller has.
  public var after: UInt64
  public var through: LogBound
  /// The page ends with the record that reaches this: one large record is still read whole.
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

/// What a fold of a room starts from: its summary and the newest snapshot not past `through`.
public struct LoadRequest: Sendable {
  public var id: UInt64
  public var room: String
  public var through: LogBound

  public init(id: UInt64, room: String, through: LogBound = .end) {
    self.id = id
    self.room = room
    self.through = through
  }
}

/// What the fold of a room's records up to `position` has come to.
public struct SnapshotRequest: Sendable {
  public var id: UInt64
  public var room: String
  public var epoch: UInt64
  /// A position that was handed back.
  public var position: UInt64
  /// How many shapes are live in it, for the list of rooms.
  public var shapes: UInt64
  public var bytes: [UInt8]

  public init(id: UInt64, room: String, epoch: UInt64, position: UInt64, shapes: UInt64, bytes: [UInt8]) {
    self.id = id
    self.room = room
    self.epoch = epoch
    self.position = position
    self.shapes = shapes
    self.bytes = bytes
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

/// What an operator decides about a damaged room. Nothing is ever dropped without being asked for.
public struct RepairRequest: Sendable {
  public enum Means: Hashable, Sendable {
    /// Drops the records that the newest snapshot covers, if that covers the damage: history is lost, the drawing isn't.
    case snapshot
    /// Drops the damaged record and all after it. The room gets the new epoch, since clients may have seen them.
    case cutting(newEpoch: UInt64)
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
    case .snapshot(let request): request.id
    case .trim(let request): request.id
    case .repair(let request): request.id
    case .verify(let id, _), .delete(let id, _), .list(let id), .retain(let id, _): id
    }
  }

  /// The room that it is about, if it is about one.
  public var room: String? {
    switch self {
    case .append(let request): request.room
    case .read(let request): request.room
    case .load(let request): request.room
    case .snapshot(let request): request.room
    case .trim(let request): request.room
    case .repair(let request): request.room
    case .verify(_, let room), .delete(_, let room): room
    case .list, .retain: nil
    }
  }

  /// What it weighs in a queue, in bytes.
  var cost: Int {
    switch self {
    case .append(let request): request.cost
    case .snapshot(let request): 64 + request.bytes.count
    default: 64
    }
  }
}
