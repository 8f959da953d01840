import CanvasCRDT

/// Every bound of the server, in one place: what it protects, and its default. A flag can change each of them.
///
/// Names end in their unit. All bounds have the same unsigned type, so that one table can read them from flags and from
/// environment variables.
struct Limits: Hashable, Sendable {
  // MARK: What welcome tells

  /// The upper bound on a message's bytes in either direction. Server and client each have to hold a whole message in
  /// memory.
  var messageBytes: UInt64 = 1_048_576
  /// The upper bound on the operations of one message. They are stored together, so a longer message would hold up the
  /// commit for other writers.
  var operationsPerMessage: UInt64 = 1_024
  /// How many operations a second one connection may write on average: forty shapes dragged at fifty frames a second.
  var operationsPerSecond: UInt64 = 2_000
  /// The upper bound on the shapes of a room. They take 384 bytes each in memory, 38 MB in all, and each client that
  /// joins is sent all of them.
  var shapes: UInt64 = 100_000
  /// The upper bound on the bytes of text in all shapes of a room together: a hundred thousand notes of 160 bytes. Each
  /// client that joins is sent all of it.
  var textBytes: UInt64 = 16 << 20
  /// How far ahead of the server's clock a writer's stamps may be. For that long the writer's values win over everyone
  /// else's, so the time must not be longer than people can wait.
  var clockAheadMilliseconds: UInt64 = 60_000
  /// The upper bound on the bytes of a peer's presence. The server keeps each peer's presence in memory and sends it to
  /// all.
  var presenceBytes: UInt64 = 4_096
  /// How long a deletion is remembered, and how old a stamp may be. An operation with an older stamp is refused,
  /// because a deletion that it would lose to may have been forgotten.
  var horizonMilliseconds: UInt64 = 2_592_000_000

  // MARK: A room

  /// How many deletions a room remembers. There must be a bound, because deleting shapes that never existed is
  /// remembered too.
  var erasures: UInt64 = 1_000_000
  /// When a room has nearly that many, it forgets its oldest deletions, but none that is younger than this. Edits that
  /// were made offline for longer than this may be refused afterwards.
  var erasureMilliseconds: UInt64 = 3_600_000
  /// The upper bound on the connections of one room. Each is sent everything that happens in the room.
  var connectionsPerRoom: UInt64 = 2_000
  /// How many people a room names only because they came first. Of the others who show nothing, clients are sent only
  /// the number. If all were named, the messages would grow with the square of their number when thousands come at
  /// once.
  var namedPeople: UInt64 = 100
  /// How many people a room names in all, including those who are named because they show a cursor or a selection.
  var showingPeople: UInt64 = 250
  /// The bytes of presence that each receiver is sent in a second, measured in JSON (binary takes about half). The
  /// people who show something share them evenly: two hundred moving cursors are each seen five times a second.
  var presenceBytesPerSecond: UInt64 = 62_000
  /// The upper bound on the bytes of the encoded beats in a room's ring, for connections that are a little behind. A
  /// connection that falls off the ring gets the newest values instead.
  var ringBytes: UInt64 = 1_048_576
  /// The upper bound on the beats in a room's ring, so that many small ones don't pile up. It is ten seconds of beats
  /// without a pause.
  var ringBeats: UInt64 = 1_024
  /// How long a busy server gathers operations before it stores them, and how long a room gathers presence before
  /// sending it. Together with a commit it is less than a frame of a screen (16 ms). Half as long would cost twice as
  /// many sends.
  var beatMilliseconds: UInt64 = 10
  /// A beat with this many operations is sent before it is due, so that beats stay short.
  var beatOperations: UInt64 = 4_096
  /// How many streams of state a room may have for readers that join or catch up. Each stream may take as much memory
  /// as the room.
  var stateStreams: UInt64 = 8
  /// How long a room stays open after its last connection has left. Opening it again means reading its snapshot and the
  /// records after the snapshot.
  var roomIdleMilliseconds: UInt64 = 60_000
  /// The upper bound on the pairs of overlapping shapes that a room announces. Ten thousand shapes on one spot would be
  /// fifty million pairs. A room with more pairs than this announces none. This many take half a megabyte in JSON,
  /// encoded once for all clients that join.
  var overlapPairs = UInt64(OverlapIndex.pairsShownMax)
  /// The upper bound on the work for a room's overlaps, in comparisons of boxes for each shape. Thin shapes can be near
  /// each other by the thousand and never overlap. Ordinary rooms take a hundred comparisons; a room that takes more
  /// than this announces no pairs.
  var overlapSteps = UInt64(OverlapIndex.stepsPerShape)
  /// How long a room keeps its index of overlaps after the last HTTP request for overlaps.
  var indexIdleMilliseconds: UInt64 = 30_000
  /// How long operations can be read as history.
  var historyMilliseconds: UInt64 = 604_800_000

  // MARK: A connection

  /// How long a client may take to send its hello. Until then, a socket that sends nothing takes up the place of a
  /// connection.
  var helloMilliseconds: UInt64 = 10_000
  /// A connection that is silent for this long is pinged. If it stays silent for as long again, it is closed.
  var idleMilliseconds: UInt64 = 30_000
  var pongMilliseconds: UInt64 = 10_000
  /// How many messages without operations (pings, digests, presence) a client may send in a second. A hand moves a
  /// cursor sixty times a second. If a client sends more than this, the server reads from it more slowly.
  var messagesPerSecond: UInt64 = 200
  /// Others are sent a peer's presence at most once in this time. The newest presence is never lost.
  var presenceMilliseconds: UInt64 = 30
  /// How many operations of a connection may be refused because of the rate. A client beyond this number that goes on
  /// sending for two seconds ignores refusals: its connection is closed. The count falls by ten a second.
  var refusalsIgnored: UInt64 = 100
  /// The upper bound on the bytes of a peer's name. Everyone in the room is sent the name.
  var nameBytes: UInt64 = 128
  /// The upper bound on the bytes of answers that wait for a slow reader. Beyond it, the server stops reading from that
  /// connection.
  var waitingAnswerBytes: UInt64 = 262_144
  /// The upper bound on one connection's operations that are not durable yet. Beyond it, the server stops reading from
  /// that connection.
  var inFlightOperations: UInt64 = 8_192

  /// How long a message may take from its first byte to its last. Until its last byte has come, it takes up memory.
  var messageMilliseconds: UInt64 = 60_000
  /// How many bytes of messages are read from a client in a second, counted after decompression. Reading a megabyte
  /// takes milliseconds, whatever it contains. If a client sends more, the server reads from it more slowly.
  var bytesPerSecond: UInt64 = 1_048_576

  // MARK: The server

  /// The upper bound on the bytes of unfinished messages, over all connections. Beyond it, unfinished messages are
  /// given up, the oldest first.
  var unfinishedBytes: UInt64 = 64 << 20
  /// How long the body of an HTTP request may stall. Meanwhile a client that stops in the middle takes up a connection
  /// and memory.
  var uploadStallMilliseconds: UInt64 = 10_000
  /// The upper bound on the open rooms.
  var rooms: UInt64 = 10_000
  /// The upper bound on all WebSocket connections. The system's limit on open files may allow fewer.
  var connections: UInt64 = 20_000
  /// The upper bound on the WebSocket connections of one address: enough for an office behind one address, too few for
  /// a flood.
  var connectionsPerAddress: UInt64 = 1_000
  /// The upper bound on all HTTP connections. Each counts until it is closed or becomes a WebSocket. The bound is
  /// separate, so that HTTP connections can't use up the places of WebSockets.
  var httpConnections: UInt64 = 5_000
  /// The upper bound on the HTTP connections of one address. It is the same as for WebSockets, because each WebSocket
  /// begins as an HTTP connection.
  var httpConnectionsPerAddress: UInt64 = 1_000
  /// How often everything that is stored is read and compared with its checksums. So damage is found within a day,
  /// instead of when somebody opens the room. Doing it more often would slow the disk for everyone. 0 means never.
  var verifyIntervalMilliseconds: UInt64 = 86_400_000
  /// How many stored bytes are verified in a second: little for a disk, and 86 GB in a day.
  var verifyBytesPerSecond: UInt64 = 1_048_576
  /// How long the verification may read without a pause. Another job that reads the log may have to wait this long.
  /// Commits never wait for the verification.
  var verifyTurnMilliseconds: UInt64 = 50
  /// The upper bound on the memory for the bodies and answers of all HTTP connections together. It is reached only if
  /// many clients send or fetch a lot at once and slowly.
  var httpBytes: UInt64 = 512 << 20

  /// How many bytes one address may store in a day. A person who draws all day makes less than a hundredth of that; a
  /// client that writes at its full rate all day would make several times as much.
  var dayBytesPerAddress: UInt64 = 2 << 30
  /// How many bytes may be stored with one token in a day. People at several addresses may share a token, so it is more
  /// than for an address.
  var dayBytesPerToken: UInt64 = 8 << 30
  /// How many rooms one address may make in a day. Each room takes a row in every list of rooms, for ever.
  var dayRoomsPerAddress: UInt64 = 2_000
  var dayRoomsPerToken: UInt64 = 10_000
  /// How much space is kept free on the disk. With less, only deletions are stored. On a full disk, even they could not
  /// be.
  var storageReserveBytes: UInt64 = 256 << 20

  init() {}

  /// The limits that `welcome` sends to clients.
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
