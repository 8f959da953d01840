import CanvasCRDT

/// Every bound of the server, in one place: what it protects, what it is unless a flag says otherwise.
///
/// Names end in their unit. All are unsigned, so that one table can read them from flags and from the environment.
struct Limits: Hashable, Sendable {
  // MARK: What welcome tells

  /// The longest message either way. A client has to hold one whole, and so do we.
  var messageBytes: UInt64 = 1_048_576
  /// What one message makes durable at once, so that no writer holds up a commit for long.
  var operationsPerMessage: UInt64 = 1_024
  /// What one connection may write, on average: forty shapes dragged at fifty frames a second.
  var operationsPerSecond: UInt64 = 2_000
  /// Shapes in a room. In memory at 368 bytes each this is 37 MB, and all that they are goes to each who joins.
  var shapes: UInt64 = 100_000
  /// How far a writer's clock may be fast. It wins over everyone for as long, so not more than people can wait.
  var clockAheadMilliseconds: UInt64 = 60_000
  /// What a peer may show of itself. It is kept for each peer and sent to all.
  var presenceBytes: UInt64 = 4_096
  /// For how long a deletion is remembered; older stamps are refused, since it could not be told whom they lost to.
  var horizonMilliseconds: UInt64 = 2_592_000_000

  // MARK: A room

  /// Deleted shapes whose stamp is remembered. Deleting what never was leaves one too, so it has to end somewhere.
  var erasures: UInt64 = 1_000_000
  /// Connections in one room: each is told of all others.
  var connectionsPerRoom: UInt64 = 2_000
  /// Encoded beats kept for connections that are a little behind. Who falls off gets newest values instead.
  var ringBytes: UInt64 = 1_048_576
  /// The same in beats, so that many small ones don't pile up: ten seconds where one follows the other.
  var ringBeats: UInt64 = 1_024
  /// For how long a busy server gathers operations before it stores them, and a room what its people show before it
  /// tells. Less than a frame of a screen (16 ms) even with a commit behind it; half as long costs twice the sends.
  var beatMilliseconds: UInt64 = 10
  /// How many operations make a beat full before its time, so that none is long.
  var beatOperations: UInt64 = 4_096
  /// States on their way to those who join or catch up, each of them as large as the room.
  var stateStreams: UInt64 = 8
  /// How long a room stays open after the last has left: reopening reads its snapshot and what came after.
  var roomIdleMilliseconds: UInt64 = 60_000
  /// Pairs of overlapping shapes that are told one by one: ten thousand shapes on one spot would be fifty million. A room
  /// with more tells of none.
  var overlapPairs: UInt64 = 500_000
  /// How long the index of overlaps is kept up for questions over HTTP after the last one.
  var indexIdleMilliseconds: UInt64 = 30_000
  /// How long operations stay readable as history.
  var historyMilliseconds: UInt64 = 604_800_000

  // MARK: A connection

  /// A client speaks first, and soon: an open socket that says nothing holds a place.
  var helloMilliseconds: UInt64 = 10_000
  /// Silence after which a connection is pinged, and the silence after that which ends it.
  var idleMilliseconds: UInt64 = 30_000
  var pongMilliseconds: UInt64 = 10_000
  /// Messages beside operations: pings, digests, presence. A hand moves a cursor sixty times a second. Who sends more is
  /// read from no faster.
  var messagesPerSecond: UInt64 = 200
  /// Others see one's presence at most once in so long; the newest is never lost.
  var presenceMilliseconds: UInt64 = 30
  /// Operations refused for their rate, beyond which a client that goes on for two seconds has not listened. Ten a second
  /// are forgotten.
  var refusalsIgnored: UInt64 = 100
  /// The longest name of a peer: everyone in the room is told.
  var nameBytes: UInt64 = 128
  /// Answers that wait for a reader; beyond it nothing more is read from that connection.
  var letterBytes: UInt64 = 262_144
  /// Operations of one connection that are not yet durable; beyond it nothing more is read from it.
  var inFlightOperations: UInt64 = 8_192

  // MARK: The server

  /// Rooms open at once.
  var rooms: UInt64 = 10_000
  /// Connections in all, within what the system gives of open files.
  var connections: UInt64 = 20_000
  /// Connections from one address: an office behind one, not a flood.
  var connectionsPerAddress: UInt64 = 1_000
  /// HTTP connections in all, each until it is closed or has become a WebSocket: they must not take the places of those.
  var httpConnections: UInt64 = 5_000
  /// The same from one address: as many as there may be WebSockets, since each begins as one of these.
  var httpConnectionsPerAddress: UInt64 = 1_000
  /// What all HTTP connections together hold of bodies and answers: memory, where many send or fetch much at once and slowly.
  var httpBytes: UInt64 = 512 << 20

  init() {}

  /// What a client is told.
  var roomLimits: RoomLimits {
    var limits = RoomLimits()
    limits.messageBytes = messageBytes
    limits.operationsPerMessage = operationsPerMessage
    limits.operationsPerSecond = operationsPerSecond
    limits.shapes = shapes
    limits.clockAheadMilliseconds = clockAheadMilliseconds
    limits.presenceBytes = presenceBytes
    limits.horizonMilliseconds = horizonMilliseconds
    return limits
  }
}
