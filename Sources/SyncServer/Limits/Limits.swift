import CanvasCRDT

/// Every bound of the server, in one place: what it protects, and its default. A flag can change it.
///
/// Names end in their unit. All are unsigned, so that one table can read them from flags and from environment
/// variables.
struct Limits: Hashable, Sendable {
  // MARK: What welcome tells

  /// The longest message in either direction. A client has to hold a whole message, and so does the server.
  var messageBytes: UInt64 = 1_048_576
  /// The most operations that one message makes durable at once, so that no writer holds up a commit for long.
  var operationsPerMessage: UInt64 = 1_024
  /// The average rate of one connection's writing: forty shapes dragged at fifty frames a second.
  var operationsPerSecond: UInt64 = 2_000
  /// Shapes in a room. In memory they take 384 bytes each, 38 MB in all. Each client that joins is sent all of them.
  var shapes: UInt64 = 100_000
  /// Bytes of text in a room's shapes, all together: a hundred thousand notes of 160. All of it is sent to whoever joins.
  var textBytes: UInt64 = 16 << 20
  /// How far ahead a writer's clock may be. Its writes win over everyone's for that long, so it must not be longer than
  /// people can wait.
  var clockAheadMilliseconds: UInt64 = 60_000
  /// The size of a peer's presence. It is kept for each peer and sent to all.
  var presenceBytes: UInt64 = 4_096
  /// How long a deletion is remembered. Older stamps are refused, because nobody could tell whether they lose to a
  /// deletion.
  var horizonMilliseconds: UInt64 = 2_592_000_000

  // MARK: A room

  /// Deleted shapes whose stamp is remembered. Deleting a shape that never existed leaves one too, so there must be a
  /// bound.
  var erasures: UInt64 = 1_000_000
  /// A room that has nearly as many forgets the oldest, but none that is younger than this. Edits that were made without a
  /// network for longer than this may be refused then.
  var erasureMilliseconds: UInt64 = 3_600_000
  /// Connections in one room: each is sent all that happens there.
  var connectionsPerRoom: UInt64 = 2_000
  /// People whom a room tells by name because they came first. Of the rest a client is told how many there are. Otherwise the
  /// work would grow with the square when thousands come at once.
  var namedPeople: UInt64 = 100
  /// People whom it tells by name at most, if they show something: a cursor, a selection.
  var showingPeople: UInt64 = 250
  /// The presence bytes that a receiver is sent in a second, in JSON; binary is about half. All share it evenly. Two
  /// hundred moving cursors are then seen five times a second each.
  var presenceBytesPerSecond: UInt64 = 62_000
  /// Encoded beats kept for connections that are a little behind. A connection that falls off the ring gets the newest
  /// values instead.
  var ringBytes: UInt64 = 1_048_576
  /// The same in beats, so that many small ones don't pile up: ten seconds of beats without a pause.
  var ringBeats: UInt64 = 1_024
  /// How long a busy server gathers operations before it stores them. Also how long a room gathers what its people show
  /// before it tells others. It is less than a frame of a screen (16 ms), even with a commit after it. Half as long
  /// costs twice the sends.
  var beatMilliseconds: UInt64 = 10
  /// A beat with this many operations is sent early, so that no beat is long.
  var beatOperations: UInt64 = 4_096
  /// States on their way to readers that join or catch up. Each is as large as the room.
  var stateStreams: UInt64 = 8
  /// How long a room stays open after the last connection has left. Reopening reads its snapshot and the records after
  /// it.
  var roomIdleMilliseconds: UInt64 = 60_000
  /// Pairs of overlapping shapes that are told one by one. Ten thousand shapes on one spot would be fifty million
  /// pairs. A room with more pairs than this tells none. All of these take half a megabyte in JSON, once for all who come.
  var overlapPairs = UInt64(OverlapIndex.pairsShownMax)
  /// Work for the overlaps of a room, for each of its shapes, in comparisons of boxes. Thin shapes can come near each
  /// other by the thousand and never overlap. Ordinary rooms take a hundred; a room that takes more than this tells none.
  var overlapSteps = UInt64(OverlapIndex.stepsPerShape)
  /// How long the index of overlaps is kept after the last question over HTTP.
  var indexIdleMilliseconds: UInt64 = 30_000
  /// How long operations stay readable as history.
  var historyMilliseconds: UInt64 = 604_800_000

  // MARK: A connection

  /// How long a client may take to say hello. An open socket that says nothing takes up a place.
  var helloMilliseconds: UInt64 = 10_000
  /// A connection that is silent for this long is pinged. If it stays silent for as long again, it is closed.
  var idleMilliseconds: UInt64 = 30_000
  var pongMilliseconds: UInt64 = 10_000
  /// Messages that are not operations: pings, digests, presence. A hand moves a cursor sixty times a second. If a
  /// client sends more than this, the server reads from it more slowly.
  var messagesPerSecond: UInt64 = 200
  /// Others see a peer's presence at most once in this time. The newest is never lost.
  var presenceMilliseconds: UInt64 = 30
  /// Operations refused for their rate. A client that exceeds this number, and goes on for two seconds, has not
  /// listened, and is closed. Ten refusals a second are forgotten.
  var refusalsIgnored: UInt64 = 100
  /// The longest name of a peer. Everyone in the room is told it.
  var nameBytes: UInt64 = 128
  /// Bytes of answers that wait for a reader. Beyond this, nothing more is read from its connection.
  var letterBytes: UInt64 = 262_144
  /// Operations of one connection that are not yet durable. Beyond this, nothing more is read from it.
  var inFlightOperations: UInt64 = 8_192

  /// How long a message may take from its first byte to its last, since an unfinished message takes memory.
  var messageMilliseconds: UInt64 = 60_000
  /// Bytes of messages that are read a second, after decompression. Reading a megabyte takes milliseconds, whatever is in
  /// it. If a client sends more, the server reads from it more slowly.
  var bytesPerSecond: UInt64 = 1_048_576

  // MARK: The server

  /// Bytes of messages that are not finished, over all connections. Beyond this the oldest of them is given up.
  var unfinishedBytes: UInt64 = 64 << 20
  /// How long nothing more of an HTTP body may come. A client that stops short holds a connection and memory.
  var uploadStallMilliseconds: UInt64 = 10_000
  /// Rooms open at once.
  var rooms: UInt64 = 10_000
  /// Connections in all. The system's limit on open files may allow fewer.
  var connections: UInt64 = 20_000
  /// Connections from one address: enough for an office behind one address, too few for a flood.
  var connectionsPerAddress: UInt64 = 1_000
  /// HTTP connections in all, each counted until it is closed or becomes a WebSocket. They must not use up the places
  /// of WebSockets.
  var httpConnections: UInt64 = 5_000
  /// The same from one address. There may be as many as WebSockets, because each WebSocket begins as an HTTP
  /// connection.
  var httpConnectionsPerAddress: UInt64 = 1_000
  /// How often everything that is stored is read and compared with its checksums. So damage is found within a day, and
  /// not only when somebody opens the room. Reading all the time would slow the disk for everyone. 0 means never.
  var verifyIntervalMilliseconds: UInt64 = 86_400_000
  /// How much of that is read in a second. It is little for a disk, and comes to 86 GB a day.
  var verifyBytesPerSecond: UInt64 = 1_048_576
  /// How long it may read without a pause. Another reader of the log may have to wait this long. Commits never wait for
  /// it.
  var verifyTurnMilliseconds: UInt64 = 50
  /// Memory for the bodies and answers of all HTTP connections together, in case many clients send or fetch a lot at
  /// once and slowly.
  var httpBytes: UInt64 = 512 << 20

  /// Bytes that one address may have stored in a day. A person who draws all day makes less than a hundredth of it; a client
  /// that writes as fast as it may all day would make several times as much.
  var dayBytesPerAddress: UInt64 = 2 << 30
  /// The same for a token, which people at several addresses may share.
  var dayBytesPerToken: UInt64 = 8 << 30
  /// Rooms that one address may make in a day. Each takes a row of every list of rooms, for ever.
  var dayRoomsPerAddress: UInt64 = 2_000
  var dayRoomsPerToken: UInt64 = 10_000
  /// Space on the disk that is kept free. With less, only deletions are stored. A full disk would stop the clearing up, too.
  var storageReserveBytes: UInt64 = 256 << 20

  init() {}

  /// The limits that a client is told.
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
