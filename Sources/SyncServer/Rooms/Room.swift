import CanvasCRDT

/// A room: a fold over its log, and the connections that watch it.
///
/// What a connection wants written passes the door and becomes a batch for the log; only what the log hands back, in
/// its order, changes the canvas and reaches anyone. So nothing is seen before it is durable, and whoever folds the same
/// log has the same room.
///
/// A value without I/O and without a clock: events go in, and `takeEffects` tells what is to be done. What is to be sent
/// is not an effect: `send` offers it to a connection for as long as that takes it.
struct Room: Sendable {
  let name: Text
  /// Which life of the room this is: cursors of another are not honoured.
  let epoch: UInt64
  let limits: Limits
  let framing: Framing

  // MARK: The fold

  var canvas: Canvas
  /// The newest place in the log.
  var position: UInt64 = 0
  /// How many operations the log has had in all.
  var operationCount: UInt64 = 0
  /// Which registers the newest operations wrote.
  var recent = RecentChanges()
  /// No stamp of the room is greater: what the server stamps itself comes after.
  var clockTime: UInt64 = 0

  // MARK: On the way to the log

  var inFlight: [UInt64: InFlight] = [:]
  var nextBatch: UInt64 = 1
  var pending = PendingNewcomers()
  /// The log refused a batch, and has taken none since: what it has is not all known.
  var isLogDoubtful = false

  // MARK: The next beat

  var pendingOperations: [Operation] = []
  /// The place in the log before them.
  var pendingAfter: UInt64 = 0
  var pendingJoined: [Identifier] = []
  var pendingLeft: [Identifier] = []
  var dirtyPresence: [Int32] = []
  var lastBeatAt: UInt64?
  /// When `flush` is to be called, on the monotonic clock.
  var flushDueAt: UInt64?

  // MARK: Connections

  var ring = Ring()
  /// How far in the log the newest beat came that the ring has dropped.
  var positionAtStart: UInt64 = 0
  var members: [Member?] = []
  /// Beside `members`, one for each.
  var lanes: [Lane] = []
  var freeMembers: [Int32] = []
  var memberCounts: InlineArray<4, Int> = [0, 0, 0, 0]
  /// By channel: the beat since which somebody has been in it. Those before were not encoded for it.
  var channelStarts: InlineArray<4, UInt64> = [0, 0, 0, 0]
  var actors: [Identifier: Int32] = [:]
  var nextSerial: UInt32 = 0
  /// Who has something to be sent since `send` was last called for all.
  var readyMembers: [Int32] = []
  var isEveryoneReady = false
  var streams: [Int: StateStream] = [:]
  var nextStream = 0

  // MARK: What those behind have been told

  /// Who was there, and what overlapped, before the ring's first beat.
  var peersAtStart: Set<Identifier> = []
  var pairsAtStart: Set<ShapePair> = []
  /// Beats before that one told of other pairs, to others.
  var pairsSince: UInt64 = 0

  // MARK: Overlaps

  var index: OverlapIndex?
  var indexNeededUntil: UInt64 = 0
  /// Shapes that may overlap others than the index says.
  var unsettledShapes: Set<Identifier> = []
  /// When it was last looked whether still too many overlap to be told, on the monotonic clock.
  var lookedAt: UInt64 = 0

  var effects: [RoomEffect] = []
  var counts = RoomCounts()

  init(name: Text, epoch: UInt64, limits: Limits, framing: Framing, seed: UInt64) {
    self.name = name
    self.epoch = epoch
    self.limits = limits
    self.framing = framing
    canvas = Canvas(seed: seed)
    // Any client may ask for it at any time, on the thread that answers for all rooms.
    canvas.countDigest()
  }
}

/// What a room asks for.
enum RoomEffect: Sendable {
  /// To be appended to the log; `delivered` or `failed` answers.
  case append(Batch)
  /// What was submitted without a connection is durable, or refused.
  case answered(request: UInt64, Result<Cursor, Rejection>)
  /// The connection is out of the room already. Where it had been sent a message in part, nothing but the goodbye may come.
  case close(MemberID, CloseCode, Text, isBetweenMessages: Bool)
  /// Its answers pile up, or its operations do: read nothing more from it until told otherwise.
  case pauseReading(MemberID)
  case resumeReading(MemberID)
}

/// For the operator: only ever growing.
struct RoomCounts: Hashable, Sendable {
  var beats: UInt64 = 0
  /// What beats have gathered.
  var beatOperations: UInt64 = 0
  var framesBytes: UInt64 = 0
  var statesMade: UInt64 = 0
  var caughtUp: UInt64 = 0
  /// What those who came, and those who had fallen off, were sent: the whole state, or what they lacked of it.
  var joinsWhole: UInt64 = 0
  var joinsDifference: UInt64 = 0
  var catchUpsWhole: UInt64 = 0
  var catchUpsDifference: UInt64 = 0
  var digests: UInt64 = 0
  /// By the raw value of the code.
  var refusals = [UInt64](repeating: 0, count: RejectCode.allCases.count)
}

extension Room {
  var cursor: Cursor { RoomCursor(epoch: epoch, position: position).cursor }

  var memberCount: Int { actors.count }

  /// Nobody is here and nothing is on its way: it can be closed without loss.
  var isIdle: Bool { actors.isEmpty && inFlight.isEmpty }

  /// What is to be done since the last time this was asked.
  mutating func takeEffects() -> [RoomEffect] {
    guard !effects.isEmpty else { return [] }
    defer { effects = [] }
    return effects
  }

  func member(_ id: MemberID) -> Member? {
    guard members.indices.contains(Int(id.index)), let member = members[Int(id.index)], member.id == id else {
      return nil
    }
    return member
  }

  func holds(_ id: MemberID) -> Bool {
    members.indices.contains(Int(id.index)) && members[Int(id.index)]?.id == id
  }

  func encode(_ message: ServerMessage, _ encoding: WireEncoding) -> [UInt8] {
    var bytes: [UInt8] = []
    framing.append(encoding.encode(message), encoding, &bytes)
    return bytes
  }
}
