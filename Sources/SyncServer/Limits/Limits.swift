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
  /// The upper bound on the shapes of a room. This many shapes take 38 MB in memory, 384 bytes each, and each client
  /// that joins is sent all of them.
  var shapes: UInt64 = 100_000
  /// The upper bound on the bytes of text in all shapes of a room together: a hundred thousand notes of 160 bytes. Each
  /// client that joins is sent all the text.
  var textBytes: UInt64 = 16 << 20
  /// How far ahead of the server's clock a writer's stamps may be. For that long the writer's values win over everyone
  /// else's, so the bound must not be longer than people can wait.
  var clockAheadMilliseconds: UInt64 = 60_000
  /// The upper bound on the bytes of a peer's presence. The server keeps each peer's presence in memory and sends it to
  /// all.
  var presenceBytes: UInt64 = 4_096
  /// How long a deletion is remembered, and how old a stamp may be. An operation with an older stamp is refused,
  /// because the room might have forgotten a newer deletion of the shape.
  var horizonMilliseconds: UInt64 = 2_592_000_000

  // MARK: A room

  /// The upper bound on the deletions that a room remembers. Without a bound, deletions of shapes that never existed
  /// could fill the memory.
  var erasures: UInt64 = 1_000_000
  /// The least time for which a deletion is remembered. When a room remembers nearly too many deletions, it forgets the
  /// oldest ones, but none that is younger than this. The room can refuse edits of clients that were offline for longer
  /// than this.
  var erasureMilliseconds: UInt64 = 3_600_000
  /// The upper bound on the connections of one room. Each is sent everything that happens in the room.
  var connectionsPerRoom: UInt64 = 2_000
  /// A room names this many of the people who show no cursor or selection: those who came first. Clients get only a
  /// count of the others. Otherwise the bytes sent would grow with the square of the number of people.
  var namedPeople: UInt64 = 100
  /// How many people a room names in all, including those who are named because they show a cursor or a selection.
  var showingPeople: UInt64 = 250
  /// The bytes of presence that each receiver is sent in a second, measured in JSON (binary takes about half). The
  /// people who show something share these bytes evenly: two hundred moving cursors are each seen five times a second.
  var presenceBytesPerSecond: UInt64 = 62_000
  /// The upper bound on the bytes of the broadcasts that a room keeps in its ring buffer. They serve connections that
  /// are a little behind. A connection that is further behind gets the newest values instead.
  var ringBytes: UInt64 = 1_048_576
  /// The upper bound on the number of broadcasts in a room's ring buffer, so that many small ones don't pile up. If
  /// there is a broadcast every 10 ms (`beatMilliseconds`), the bound is reached after ten seconds.
  var ringBeats: UInt64 = 1_024
  /// How long a busy server gathers operations before it stores them, and how long a room gathers presence before
  /// sending it. This time and a commit together are shorter than a frame of a screen (16 ms). A value half as large
  /// would cost twice as many sends.
  var beatMilliseconds: UInt64 = 10
  /// A broadcast with this many operations is sent early, so that broadcasts stay short.
  var beatOperations: UInt64 = 4_096
  /// How many state streams a room may have. A stream brings the room's state to readers that join or catch up, and can
  /// take as much memory as the room.
  var stateStreams: UInt64 = 8
  /// How long a room stays open after its last connection has left. Opening it again means reading its snapshot and the
  /// records after the snapshot.
  var roomIdleMilliseconds: UInt64 = 60_000
  /// The upper bound on the pairs of overlapping shapes that a room announces. A room with more pairs announces none:
  /// ten thousand shapes on one spot would be fifty million pairs.
  var overlapPairs = UInt64(OverlapIndex.pairsShownMax)
  /// The upper bound on the work for a room's overlaps, in comparisons of boxes for each shape. Thousands of thin
  /// shapes can be near each other and never overlap, so bounding the pairs is not enough. A room that takes more than
  /// this bound announces no pairs.
  var overlapSteps = UInt64(OverlapIndex.stepsPerShape)
  /// How long a room keeps its index of overlaps after the last HTTP request for overlaps.
  var indexIdleMilliseconds: UInt64 = 30_000
  /// How long operations can be read as history.
  var historyMilliseconds: UInt64 = 604_800_000

  // MARK: A connection

  /// How long a client may take to send its `hello`. Until then, even a socket that sends nothing takes up a
  /// connection.
  var helloMilliseconds: UInt64 = 10_000
  /// A connection that is silent for this long is pinged. The next setting says how much longer the connection may stay
  /// silent before it is closed.
  var idleMilliseconds: UInt64 = 30_000
  var pongMilliseconds: UInt64 = 10_000
  /// How many messages without operations (pings, digests, presence) a client may send in a second. A hand that moves a
  /// cursor causes sixty a second. If a client sends more than the limit, the server reads from it more slowly.
  var messagesPerSecond: UInt64 = 200
  /// The shortest time between two messages that send one peer's presence to the others. The newest presence is never
  /// lost.
  var presenceMilliseconds: UInt64 = 30
  /// How many operations of a connection may be refused because of the rate. The count falls by ten a second. A
  /// connection is closed if it exceeds this limit and still sends too much two seconds after the first refusal.
  var refusalsIgnored: UInt64 = 100
  /// The upper bound on the bytes of a peer's name. Everyone in the room is sent the name.
  var nameBytes: UInt64 = 128
  /// The upper bound on the bytes of answers that wait for a slow reader. When it is reached, the server stops reading
  /// from that connection.
  var waitingAnswerBytes: UInt64 = 262_144
  /// The upper bound on one connection's operations that are not durable yet. When it is reached, the server stops
  /// reading from that connection.
  var inFlightOperations: UInt64 = 8_192

  /// How long a message may take from its first byte to its last.
  var messageMilliseconds: UInt64 = 60_000
  /// How many bytes of messages are read from a client in a second. Reading a megabyte takes milliseconds, whatever it
  /// contains. If a client sends more, the server reads from it more slowly.
  var bytesPerSecond: UInt64 = 1_048_576

  // MARK: The server

  /// The upper bound on the bytes of unfinished messages, over all connections. When it is reached, unfinished messages
  /// are dropped, the oldest first.
  var unfinishedBytes: UInt64 = 64 << 20
  /// How long the body of an HTTP request may stall. While it stalls, the request takes up a connection and memory.
  var uploadStallMilliseconds: UInt64 = 10_000
  /// The upper bound on the open rooms.
  var rooms: UInt64 = 10_000
  /// The upper bound on all WebSocket connections. The system's limit on open files can allow fewer.
  var connections: UInt64 = 20_000
  /// The upper bound on the WebSocket connections of one address: enough for an office behind one address, too few for
  /// a flood.
  var connectionsPerAddress: UInt64 = 1_000
  /// The upper bound on all HTTP connections. Each counts until it is closed or becomes a WebSocket. WebSockets have a
  /// bound of their own, so that HTTP connections can't keep them out.
  var httpConnections: UInt64 = 5_000
  /// The upper bound on the HTTP connections of one address. It is the same as for WebSockets, because each WebSocket
  /// begins as an HTTP connection.
  var httpConnectionsPerAddress: UInt64 = 1_000
  /// The time from the start of one verification to the start of the next. A verification reads everything stored, and
  /// compares it with its checksums. So damage is found within a day, even if nobody opens the room. More frequent
  /// verifications would slow the disk for everyone. 0 turns verification off.
  var verifyIntervalMilliseconds: UInt64 = 86_400_000
  /// How many stored bytes are verified in a second. This is a light load for a disk, and adds up to 90 GB in a day.
  var verifyBytesPerSecond: UInt64 = 1_048_576
  /// How long the verification may read without a pause. Other jobs that read the log might have to wait that long.
  /// Commits never wait for the verification.
  var verifyTurnMilliseconds: UInt64 = 50
  /// The upper bound on the memory for the bodies and answers of all HTTP connections together. It is reached only if
  /// many clients slowly send or fetch a lot at the same time.
  var httpBytes: UInt64 = 512 << 20

  /// How many bytes one address may store in a day. A person who draws all day stores less than a hundredth of this
  /// limit. A client that writes at its full rate all day would store several times the limit.
  var dayBytesPerAddress: UInt64 = 2 << 30
  /// How many bytes may be stored with one token in a day. The limit is higher than the one for an address, because
  /// people at several addresses may share a token.
  var dayBytesPerToken: UInt64 = 8 << 30
  /// How many rooms one address may make in a day. Each room takes a row in every list of rooms, for ever.
  var dayRoomsPerAddress: UInt64 = 2_000
  var dayRoomsPerToken: UInt64 = 10_000
  /// How much space is kept free on the disk. With less free space, only deletions are stored. On a full disk not even
  /// deletions could be stored.
  var storageReserveBytes: UInt64 = 256 << 20

  init() {}

  /// The upper bound on the body of an HTTP request: the bytes of the longest drawing that a room can be, as JSON. So
  /// each drawing that the server has given out can be posted to it again. It is bounded because a body is in memory until
  /// all of it has been read, and no longer than all bodies together may be.
  var bodyBytes: UInt64 {
    max(messageBytes, min(httpBytes, shapes * Limits.shapeBytes + textBytes * Limits.textByteBytes))
  }

  /// The most bytes that a shape takes in a JSON drawing, with the longest name and numbers, without its texts and path.
  private static let shapeBytes: UInt64 = 1_024
  /// The most bytes of JSON for a byte of a path, where two bytes can be a point: `[65535,65535],`. A byte of text takes
  /// at most two: `\"`.
  private static let textByteBytes: UInt64 = 7

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
