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
  /// Bytes of text in all shapes of a room together: a hundred thousand notes of 160 bytes. Each client that joins is
  /// sent all of it.
  var textBytes: UInt64 = 16 << 20
  /// How far ahead a writer's clock may be. For that long its writes win over everyone's, so it must not be longer than
  /// people can wait.
  var clockAheadMilliseconds: UInt64 = 60_000
  /// The size of a peer's presence. The server keeps it for each peer and sends it to all.
  var presenceBytes: UInt64 = 4_096
  /// How long a deletion is remembered. Older stamps are refused, because nobody could tell whether they lose to a
  /// deletion.
  var horizonMilliseconds: UInt64 = 2_592_000_000

  // MARK: A room

  /// How many deletions are remembered. Deleting a shape that never existed is remembered too, so there must be a
  /// bound.
  var erasures: UInt64 = 1_000_000
  /// A room that reaches nearly that number forgets its oldest deletions, but none that is younger than this. Edits
  /// that were made offline for longer than this may then be refused.
  var erasureMilliseconds: UInt64 = 3_600_000
  /// Connections in one room. Each is sent everything that happens there.
  var connectionsPerRoom: UInt64 = 2_000
  /// How many people a room names just because they came first. For the rest, clients are told only the number.
  /// Otherwise the work would grow with the square of the number when thousands come at once.
  var namedPeople: UInt64 = 100
  /// How many people a room names in all, counting those who show a cursor or a selection.
  var showingPeople: UInt64 = 250
  /// The bytes of presence that a receiver is sent in a second, in JSON (binary takes about half). All people share
  /// them evenly. Two hundred moving cursors are then seen five times a second each.
  var presenceBytesPerSecond: UInt64 = 62_000
  /// Encoded beats kept for connections that are a little behind. A connection that falls off the ring gets the newest
  /// values instead.
  var ringBytes: UInt64 = 1_048_576
  /// The most beats in the ring, so that many small ones don't pile up: ten seconds of beats without a pause.
  var ringBeats: UInt64 = 1_024
  /// How long a busy server gathers operations before it stores them, and how long a room gathers presence before it
  /// sends it. Even with a commit after it, this is less than a frame of a screen (16 ms). Half as long would cost
  /// twice the sends.
  var beatMilliseconds: UInt64 = 10
  /// A beat with this many operations is sent early, so that beats stay short.
  var beatOperations: UInt64 = 4_096
  /// How many states may be on their way to readers that join or catch up. Each is as large as the room.
  var stateStreams: UInt64 = 8
  /// How long a room stays open after its last connection has left. Reopening reads its snapshot and the records after
  /// it.
  var roomIdleMilliseconds: UInt64 = 60_000
  /// Pairs of overlapping shapes that a room announces. Ten thousand shapes on one spot would be fifty million pairs. A
  /// room with more pairs than this announces none. This many take half a megabyte in JSON, encoded once for all
  /// clients that come.
  var overlapPairs = UInt64(OverlapIndex.pairsShownMax)
  /// The work that a room's overlaps may take, in comparisons of boxes for each of its shapes. Thin shapes can be near
  /// each other by the thousand and never overlap. Ordinary rooms take a hundred comparisons; a room that takes more
  /// than this announces no pairs.
  var overlapSteps = UInt64(OverlapIndex.stepsPerShape)
  /// How long the index of overlaps is kept after the last request for it over HTTP.
  var indexIdleMilliseconds: UInt64 = 30_000
  /// How long operations stay readable as history.
  var historyMilliseconds: UInt64 = 604_800_000

  // MARK: A connection

  /// How long a client may take to send its hello. An open socket that sends nothing takes up a place.
  var helloMilliseconds: UInt64 = 10_000
  /// A connection that is silent for this long is pinged. If it stays silent for as long again, it is closed.
  var idleMilliseconds: UInt64 = 30_000
  var pongMilliseconds: UInt64 = 10_000
  /// Messages a second that are not operations: pings, digests, presence. A hand moves a cursor sixty times a second.
  /// If a client sends more than this, the server reads from it more slowly.
  var messagesPerSecond: UInt64 = 200
  /// Others see a peer's presence at most once in this time. The newest is never lost.
  var presenceMilliseconds: UInt64 = 30
  /// How many operations may be refused for their rate. A client that exceeds this number, and goes on for two seconds,
  /// ignores refusals, and is closed. Ten refusals a second are forgiven.
  var refusalsIgnored: UInt64 = 100
  /// The longest name of a peer. Everyone in the room is told it.
  var nameBytes: UInt64 = 128
  /// Bytes of answers that wait for a reader. Beyond this, nothing more is read from its connection.
  var waitingAnswerBytes: UInt64 = 262_144
  /// Operations of one connection that are not durable yet. Beyond this, the server stops reading from the connection.
  var inFlightOperations: UInt64 = 8_192

  /// How long a message may take from its first byte to its last. Until then it takes up memory.
  var messageMilliseconds: UInt64 = 60_000
  /// Bytes of messages that are read in a second, after decompression. Reading a megabyte takes milliseconds, whatever
  /// it contains. If a client sends more, the server reads from it more slowly.
  var bytesPerSecond: UInt64 = 1_048_576

  // MARK: The server

  /// Bytes of unfinished messages, over all connections. Beyond this, unfinished messages are given up, the oldest
  /// first.
  var unfinishedBytes: UInt64 = 64 << 20
  /// How long an HTTP body may stall. A client that stops in the middle holds a connection and memory.
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
  /// HTTP connections from one address. The limit is that of WebSockets, because each WebSocket begins as an HTTP
  /// connection.
  var httpConnectionsPerAddress: UInt64 = 1_000
  /// How often everything that is stored is read and compared with its checksums. So damage is found within a day, and
  /// not only when somebody opens the room. Reading all the time would slow the disk for everyone. 0 means never.
  var verifyIntervalMilliseconds: UInt64 = 86_400_000
  /// How much of that is read in a second. This is little for a disk, and comes to 86 GB a day.
  var verifyBytesPerSecond: UInt64 = 1_048_576
  /// How long the verification may read without a pause. Another reader of the log may have to wait this long. Commits
  /// never wait for it.
  var verifyTurnMilliseconds: UInt64 = 50
  /// Memory for the bodies and answers of all HTTP connections together, in case many clients send or fetch a lot at
  /// once and slowly.
  var httpBytes: UInt64 = 512 << 20

  /// Bytes that one address may store in a day. A person who draws all day makes less than a hundredth of it; a client
  /// that writes at its full rate all day would make several times as much.
  var dayBytesPerAddress: UInt64 = 2 << 30
  /// The same for a token, which people at several addresses may share.
  var dayBytesPerToken: UInt64 = 8 << 30
  /// Rooms that one address may make in a day. Each takes a row in every list of rooms, for ever.
  var dayRoomsPerAddress: UInt64 = 2_000
  var dayRoomsPerToken: UInt64 = 10_000
  /// Space on the disk that is kept free. With less, only deletions are stored: on a full disk, even they would be
  /// impossible.
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
