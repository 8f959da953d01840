/// A limit as an operator sets it: `--max-shapes 5000`, or `CANVAS_MAX_SHAPES=5000`.
struct LimitFlag: Sendable {
  let name: String
  let limit: WritableKeyPath<Limits, UInt64> & Sendable
  /// The accepted values. Outside this range, the server would not work, or would have no limit.
  let range: ClosedRange<UInt64>
  let group: Group
  /// The description in `--help`.
  let words: String

  /// The group under which `--help` lists a limit.
  enum Group: String, CaseIterable, Sendable {
    case told = "What clients are told"
    case connection = "A connection"
    case room = "A room"
    case server = "The whole server"
  }

  var variable: String { LimitFlag.variable(of: name) }

  /// The environment variable of a flag: `CANVAS_MAX_SHAPES` for `--max-shapes`.
  static func variable(of name: String) -> String {
    "CANVAS_" + name.dropFirst(2).uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
  }
}

extension Limits {
  private static let day: UInt64 = 86_400_000
  private static let many: UInt64 = 1_000_000_000

  /// All limits, in the order in which `--help` lists them.
  static let flags: [LimitFlag] = [
    LimitFlag(
      name: "--max-message-bytes",
      limit: \.messageBytes,
      range: 16_384...67_108_864,
      group: .told,
      words: "longest message, either way"
    ),
    LimitFlag(
      name: "--max-ops-per-message",
      limit: \.operationsPerMessage,
      range: 1...65_536,
      group: .told,
      words: "operations in one message"
    ),
    LimitFlag(
      name: "--max-ops-per-second",
      limit: \.operationsPerSecond,
      range: 1...1_000_000,
      group: .told,
      words: "operations a second from one connection"
    ),
    LimitFlag(
      name: "--max-shapes",
      limit: \.shapes,
      range: 1...10_000_000,
      group: .told,
      words: "shapes in a room"
    ),
    LimitFlag(
      name: "--max-text-bytes",
      limit: \.textBytes,
      range: 4_096...1 << 32,
      group: .room,
      words: "text in the shapes of a room"
    ),
    LimitFlag(
      name: "--max-erasures",
      limit: \.erasures,
      range: 1...100_000_000,
      group: .room,
      words: "deleted shapes that a room remembers"
    ),
    LimitFlag(
      name: "--min-erasure-ms",
      limit: \.erasureMilliseconds,
      range: 1_000...365 * day,
      group: .room,
      words: "for how long deletions are remembered even if there are too many"
    ),
    LimitFlag(
      name: "--max-clock-ahead-ms",
      limit: \.clockAheadMilliseconds,
      range: 1_000...day,
      group: .told,
      words: "how far a writer's clock may be fast"
    ),
    LimitFlag(
      name: "--horizon-ms",
      limit: \.horizonMilliseconds,
      range: 60_000...36_500 * day,
      group: .told,
      words: "for how long deletions are remembered"
    ),
    LimitFlag(
      name: "--max-presence-bytes",
      limit: \.presenceBytes,
      range: 2...65_536,
      group: .told,
      words: "bytes of one peer's presence"
    ),
    LimitFlag(
      name: "--presence-interval-ms",
      limit: \.presenceMilliseconds,
      range: 0...60_000,
      group: .connection,
      words: "shortest time between two presences of a peer"
    ),
    LimitFlag(
      name: "--max-messages-per-second",
      limit: \.messagesPerSecond,
      range: 1...1_000_000,
      group: .connection,
      words: "messages beside operations that are read a second from one connection"
    ),
    LimitFlag(
      name: "--max-bytes-per-second",
      limit: \.bytesPerSecond,
      range: 16_384...1 << 30,
      group: .connection,
      words: "bytes of messages that are read a second from one connection"
    ),
    LimitFlag(
      name: "--message-ms",
      limit: \.messageMilliseconds,
      range: 100...day,
      group: .connection,
      words: "time for a message from its first byte to its last"
    ),
    LimitFlag(
      name: "--max-refusals-ignored",
      limit: \.refusalsIgnored,
      range: 1...1_000_000,
      group: .connection,
      words: "messages refused as rate_limited, for two seconds or more, before a close"
    ),
    LimitFlag(
      name: "--max-name-bytes",
      limit: \.nameBytes,
      range: 1...128,
      group: .connection,
      words: "longest name of a peer"
    ),
    LimitFlag(name: "--max-rooms", limit: \.rooms, range: 1...many, group: .server, words: "rooms open at once"),
    LimitFlag(
      name: "--max-connections",
      limit: \.connections,
      range: 1...many,
      group: .server,
      words: "WebSocket connections in all"
    ),
    LimitFlag(
      name: "--max-connections-per-address",
      limit: \.connectionsPerAddress,
      range: 1...many,
      group: .server,
      words: "WebSocket connections from one address"
    ),
    LimitFlag(
      name: "--max-http-connections",
      limit: \.httpConnections,
      range: 1...many,
      group: .server,
      words: "HTTP connections in all"
    ),
    LimitFlag(
      name: "--max-http-connections-per-address",
      limit: \.httpConnectionsPerAddress,
      range: 1...many,
      group: .server,
      words: "HTTP connections from one address; behind a proxy, requests under way"
    ),
    LimitFlag(
      name: "--max-http-bytes",
      limit: \.httpBytes,
      range: 8 << 20...1 << 40,
      group: .server,
      words: "bytes of HTTP bodies and answers in hand, in all"
    ),
    LimitFlag(
      name: "--max-unfinished-bytes",
      limit: \.unfinishedBytes,
      range: 65_536...1 << 40,
      group: .server,
      words: "bytes of messages that are not finished, in all"
    ),
    LimitFlag(
      name: "--day-bytes-per-address",
      limit: \.dayBytesPerAddress,
      range: 1_024...1 << 50,
      group: .server,
      words: "bytes stored in a day from one address"
    ),
    LimitFlag(
      name: "--day-bytes-per-token",
      limit: \.dayBytesPerToken,
      range: 1_024...1 << 50,
      group: .server,
      words: "bytes stored in a day with one token"
    ),
    LimitFlag(
      name: "--day-rooms-per-address",
      limit: \.dayRoomsPerAddress,
      range: 1...many,
      group: .server,
      words: "new rooms in a day from one address"
    ),
    LimitFlag(
      name: "--day-rooms-per-token",
      limit: \.dayRoomsPerToken,
      range: 1...many,
      group: .server,
      words: "new rooms in a day with one token"
    ),
    LimitFlag(
      name: "--storage-reserve-bytes",
      limit: \.storageReserveBytes,
      range: 0...1 << 50,
      group: .server,
      words: "space on the disk below which only deletions are stored"
    ),
    LimitFlag(
      name: "--upload-stall-ms",
      limit: \.uploadStallMilliseconds,
      range: 100...600_000,
      group: .server,
      words: "how long nothing more of an HTTP body may come"
    ),
    LimitFlag(
      name: "--max-connections-per-room",
      limit: \.connectionsPerRoom,
      range: 1...1_000_000,
      group: .room,
      words: "connections in one room"
    ),
    LimitFlag(
      name: "--max-named-people",
      limit: \.namedPeople,
      range: 1...100_000,
      group: .room,
      words: "people in a room whom others are told by name"
    ),
    LimitFlag(
      name: "--max-showing-people",
      limit: \.showingPeople,
      range: 1...100_000,
      group: .room,
      words: "people whom others are told by name if they show a cursor or a selection"
    ),
    LimitFlag(
      name: "--presence-bytes-per-second",
      limit: \.presenceBytesPerSecond,
      range: 1_000...1_000_000_000,
      group: .room,
      words: "presence that one client is sent"
    ),
    LimitFlag(
      name: "--hello-ms",
      limit: \.helloMilliseconds,
      range: 10...600_000,
      group: .connection,
      words: "time to say hello"
    ),
    LimitFlag(
      name: "--idle-ms",
      limit: \.idleMilliseconds,
      range: 1_000...day,
      group: .connection,
      words: "silence before a connection is pinged"
    ),
    LimitFlag(
      name: "--pong-ms",
      limit: \.pongMilliseconds,
      range: 100...day,
      group: .connection,
      words: "time to answer a ping"
    ),
    LimitFlag(
      name: "--beat-ms",
      limit: \.beatMilliseconds,
      range: 0...1_000,
      group: .room,
      words: "for how long a busy server gathers before it stores and sends"
    ),
    LimitFlag(
      name: "--max-beat-ops",
      limit: \.beatOperations,
      range: 1...1_000_000,
      group: .room,
      words: "operations that make a beat full"
    ),
    LimitFlag(
      name: "--ring-bytes",
      limit: \.ringBytes,
      range: 0...1 << 30,
      group: .room,
      words: "encoded beats kept for slow readers, in bytes"
    ),
    LimitFlag(
      name: "--ring-beats",
      limit: \.ringBeats,
      range: 1...1_000_000,
      group: .room,
      words: "encoded beats kept for slow readers"
    ),
    LimitFlag(
      name: "--max-state-streams",
      limit: \.stateStreams,
      range: 1...1_000,
      group: .room,
      words: "states of a room under way at once"
    ),
    LimitFlag(
      name: "--max-waiting-bytes",
      limit: \.waitingAnswerBytes,
      range: 1_024...1 << 30,
      group: .connection,
      words: "bytes of waiting answers at which reading from the client pauses"
    ),
    LimitFlag(
      name: "--max-ops-in-flight",
      limit: \.inFlightOperations,
      range: 1...1_000_000,
      group: .connection,
      words: "operations of a connection that are not yet durable"
    ),
    LimitFlag(
      name: "--room-idle-ms",
      limit: \.roomIdleMilliseconds,
      range: 0...day,
      group: .room,
      words: "how long an empty room stays open"
    ),
    LimitFlag(
      name: "--max-overlaps",
      limit: \.overlapPairs,
      range: 1...10_000_000,
      group: .room,
      words: "overlapping pairs in a room; with more, none are told"
    ),
    LimitFlag(
      name: "--max-overlap-steps",
      limit: \.overlapSteps,
      range: 1...1_000_000,
      group: .room,
      words: "work for a room's overlaps, by shape; with more, none are told"
    ),
    LimitFlag(
      name: "--index-idle-ms",
      limit: \.indexIdleMilliseconds,
      range: 0...day,
      group: .room,
      words: "how long overlaps are kept up after a question"
    ),
    LimitFlag(
      name: "--history-ms",
      limit: \.historyMilliseconds,
      range: 0...36_500 * day,
      group: .server,
      words: "how long operations stay readable as history"
    ),
    LimitFlag(
      name: "--verify-every-ms",
      limit: \.verifyIntervalMilliseconds,
      range: 0...365 * day,
      group: .server,
      words: "how often all stored rooms are verified; 0: never"
    ),
    LimitFlag(
      name: "--verify-bytes-per-second",
      limit: \.verifyBytesPerSecond,
      range: 1...1 << 40,
      group: .server,
      words: "bytes of stored rooms that are verified in a second"
    ),
    LimitFlag(
      name: "--verify-turn-ms",
      limit: \.verifyTurnMilliseconds,
      range: 1...1_000,
      group: .server,
      words: "how long other readers of the log may wait for it"
    ),
  ]
}
