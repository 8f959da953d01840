import CanvasCRDT

@testable import SyncServer

/// A room, its log, its clients and the network between them, under one seed and in one thread, with time of its own.
///
/// The clients are real replicas, the server is the real room with real sessions; only sockets, disk and clocks are
/// made up, and everything that those may do wrong is done here.
struct Simulation {
  let seed: UInt64
  var random: SeededGenerator
  var limits = Limits()
  var time: UInt64 = 1_000

  // MARK: The server

  var log: SimulatedLog
  /// Nothing while the server is down.
  var room: Room?
  var nextEpoch: UInt64
  var lines: [Line] = []
  var peers: [SimulatedPeer] = []
  var faults: [Fault: Int] = [:]
  /// What anyone was told is durable, and what anyone was shown of others.
  var acknowledged: Set<Stamp> = []
  var seen: Set<Stamp> = []

  /// What was asked for without a connection, by the request's number.
  var requests: [UInt64: [Stamp]] = [:]
  var restedAt: UInt64 = 0
  /// For presence, lulls and requests without a connection: nothing where a history has none of them. Chance of its own, so
  /// that without them a history is what it was before there were any.
  var otherChance: SeededGenerator?

  static let wallStart: UInt64 = 1_763_650_000_000

  init(seed: UInt64, isPlain: Bool = false) {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    if !isPlain { otherChance = SeededGenerator(seed: seed &* 0x9E37_79B9 &+ 1) }
    log = SimulatedLog(seed: ~seed)
    nextEpoch = seed &* 31 &+ 1
    limits.ringBeats = UInt64.random(in: 2...12, using: &random)
    limits.beatMilliseconds = UInt64.random(in: 0...8, using: &random)
    limits.stateStreams = UInt64.random(in: 1...4, using: &random)
    limits.operationsPerMessage = UInt64.random(in: 1...8, using: &random)
    limits.operationsPerSecond = UInt64.random(in: 20...400, using: &random)
    limits.messageBytes = 16_384
    limits.shapes = UInt64.random(in: 6...60, using: &random)
    limits.letterBytes = 1_024
    limits.inFlightOperations = 16
    for number in 0..<Int.random(in: 2...5, using: &random) {
      let error = Int64.random(in: -600_000...600_000, using: &random)
      peers.append(SimulatedPeer(number: number, seed: random.next(), wallError: error, using: &random))
    }
    openRoom()
    for index in peers.indices { run(index) { $0.start(at: $1) } }
  }

  var now: Moment { Moment(wallMilliseconds: Simulation.wallStart + time, monotonicMilliseconds: time) }

  mutating func happens(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &random) < probability }

  mutating func count(_ fault: Fault) { faults[fault, default: 0] += 1 }
}

/// What may go wrong. Each is asserted to have happened.
enum Fault: CaseIterable {
  case lostConnection, lostAnswer, lostSubmission, cutState, partialTake, stall, fellOff, serverCrash
  case committedNotDelivered, unavailable, halfBatchLost, resumed, reset, superseded, rejected, clockAhead,
    actorElsewhere
  case foreignRecord, snapshotUsed, pausedReading, roomFull, turnedUp
  case presenceShown, rested, requestTaken, requestRefused
}

/// A connection between a replica and the server.
struct Line {
  let peer: Int
  var conversation: Conversation
  var member: MemberID?
  /// Messages under way, each with the time at which it arrives.
  var toServer: [(at: UInt64, bytes: [UInt8])] = []
  var toClient: [UInt8] = []
  /// How many bytes the socket takes until it is drained; nothing: any number.
  var room: Int
  var isReadingPaused = false
  var isBlocked = false
  /// The server closed it; what is under way still arrives.
  var closeCode: UInt16?
  var isOpen = true
  /// The stamps of each message that came, for when it is answered.
  var submitted: [MessageIdentifier: [Stamp]] = [:]
}

/// A log that takes its time, fails, and survives.
struct SimulatedLog {
  struct Append {
    let batch: Batch
    let epoch: UInt64
    var commitsAt: UInt64
    var fails: Bool
  }

  private(set) var records: [RoomRecord] = []
  var appends: [Append] = []
  /// Durable, and not yet handed back.
  var reports: [(at: UInt64, record: RoomRecord)] = []
  var failures: [(at: UInt64, batch: UInt64)] = []
  var unavailableUntil: UInt64 = 0
  /// Refused, and stored all the same, as is found out before anything else is stored.
  var unknown: [Append] = []
  /// Chance of its own, so that the histories under the seeds that are pinned stay what they were.
  private var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func isUnsure() -> Bool { Bool.random(using: &random) }
  var epoch: UInt64?
  var image: (position: UInt64, bytes: [UInt8])?

  mutating func append(_ operations: [Operation], milliseconds: UInt64, batch: UInt64?, gap: UInt64) -> RoomRecord {
    // Through bytes, as a disk would have it.
    let stored = StoredOperations.decode(StoredOperations.encode(operations))!
    let position = (records.last?.position ?? 0) + gap
    records.append(RoomRecord(position: position, milliseconds: milliseconds, operations: stored))
    return RoomRecord(position: position, milliseconds: milliseconds, batch: batch, operations: stored)
  }
}

/// A client with its half of the wire.
struct SimulatedPeer {
  var replica: Replica
  /// How wrong its clock is, which may change.
  var wallError: Int64
  var line: Int?
  var wantsConnection = false
  var connectsAt: UInt64 = 0
  var wakeAt: UInt64?
  /// Slow readers drain few bytes at a time.
  var drain: Int
  var stalledUntil: UInt64 = 0
  var rejected: [RejectedEdit] = []
  var verdicts: [DigestVerdict] = []
  var failures: [MessageError] = []
  var pairs: Set<ShapePair> = []
  var hasPairs = false
  /// What it last wanted others to see.
  var shown = JSONText.emptyObject

  init(number: Int, seed: UInt64, wallError: Int64, using random: inout SeededGenerator) {
    var configuration = ReplicaConfiguration()
    configuration.name = Text("peer \(number)")
    configuration.encoding = number % 2 == 0 ? .binary : .json
    configuration.overlaps = number % 3 != 1
    replica = Replica(configuration: configuration, seed: seed)
    self.wallError = wallError
    drain = number == 0 ? 1_000_000 : [60, 300, 2_000, 1_000_000].randomElement(using: &random)!
  }
}
