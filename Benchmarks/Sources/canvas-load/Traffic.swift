import Basics
import CanvasCRDT
import Glibc
import WebSocketLoop

/// Measures deliveries. Each writer moves a shape, and everybody in the room receives it. The time of a delivery runs
/// from the writer's `send` until one receiver has the operation.
///
/// `@unchecked Sendable`: everything runs on the event loop's thread.
final class Traffic: ConnectionHandler, @unchecked Sendable {
  struct Client {
    var connection: Connection?
    var room: Int
    var isReady = false
    /// The index of the room's message that this client gets next.
    var nextMessage = 0
    /// For each writer of the room, the greatest sequence number that this client has received.
    var last: [Int32]
  }

  struct Writer {
    var client: Int
    var shape: Identifier
    var clock: Clock?
    var sequence = 0
    /// When each operation was sent, by its sequence number.
    var sentAt: [UInt64] = []
    var acknowledged = 0
    var dueAt: UInt64 = 0
  }

  struct Counts {
    var deliveries: UInt64 = 0
    var messages: UInt64 = 0
    var bytes: UInt64 = 0
    var sent: UInt64 = 0
    var durable: UInt64 = 0
    var serverNanoseconds: UInt64 = 0
    var ownNanoseconds: UInt64 = 0
    var at: UInt64 = 0
  }

  enum Phase {
    case connecting
    case warming
    case measuring
    case draining
    case comparing
  }

  private static let connectingMax = 200
  private static let warmMilliseconds: UInt64 = 1_000
  private static let drainNanoseconds: UInt64 = 10_000_000_000
  private static let comparedRoomsMax = 16

  let flags: Flags
  let loop: EventLoop
  let process: ProcessFigures?
  var phase = Phase.connecting
  var rooms: [LoadedRoom]
  var clients: [Client]
  var writers: [Writer] = []
  private var opened = 0
  private var readyCount = 0

  var counts = Counts()
  private var countsAtStart = Counts()
  private var countsAtEnd = Counts()
  var latency = Percentiles()
  var acknowledgement = Percentiles()
  private var residentMegabytes: [Double] = []
  var skipped: UInt64 = 0
  var repeated: UInt64 = 0
  var rejected: UInt64 = 0
  var unsent: UInt64 = 0
  var faults: UInt64 = 0
  private var closedEarly = 0
  private var drainUntil: UInt64 = 0
  private var digestsWanted = 0
  private var digestsAgreed = 0

  init(_ flags: Flags, loop: EventLoop) {
    self.flags = flags
    self.loop = loop
    process = flags.pid.map { ProcessFigures(pid: $0) }
    rooms = (0..<flags.rooms).map { LoadedRoom(name: flags.roomName($0)) }
    var generator = SystemRandomNumberGenerator()
    let perRoom = (flags.writers + flags.rooms - 1) / flags.rooms
    clients = (0..<flags.clients).map { index in
      Client(room: index % flags.rooms, last: Array(repeating: -1, count: perRoom))
    }
    for index in 0..<min(flags.writers, flags.clients) {
      let shape = Identifier.random(using: &generator)
      writers.append(Writer(client: index, shape: shape))
      rooms[index % flags.rooms].add(writer: index, shape: shape)
    }
  }

  func start() {
    for _ in 0..<min(Traffic.connectingMax, clients.count) { open() }
  }

  private func open() {
    guard opened < clients.count else { return }
    let index = opened
    opened += 1
    let connection = loop.connect(
      to: flags.endpoint(room: rooms[clients[index].room].name),
      subprotocols: [flags.encoding.subprotocol.description],
      handler: self
    )
    connection.tag = index
    clients[index].connection = connection
  }

  // MARK: Connections

  func connected(_ connection: Connection, request: Request) {
    if flags.isThroughRelay { return becameReady(connection.tag, actor: nil) }
    connection.send(flags.encoding.frame(.hello(Hello())))
  }

  func writable(_ connection: Connection) {}

  func closed(_ connection: Connection, closure: Closure) {
    closedEarly += 1
    if phase == .connecting { Load.complain("connection \(connection.tag) closed: \(closure)") }
    if closedEarly <= 3 { Load.note("closed: \(closure)") }
  }

  func becameReady(_ index: Int, actor: Identifier?) {
    guard !clients[index].isReady else { return }
    clients[index].isReady = true
    if index < writers.count {
      var generator = SystemRandomNumberGenerator()
      writers[index].clock = Clock(actor: actor ?? Identifier.random(using: &generator))
    }
    readyCount += 1
    open()
    guard readyCount == clients.count else { return }
    loop.schedule(afterMilliseconds: 200) { self.begin() }
  }

  // MARK: Phases

  private func begin() {
    phase = .warming
    let now = SteadyClock.nanoseconds()
    let interval = intervalNanoseconds
    for index in writers.indices {
      // The writers send at different times within the interval, as people would.
      writers[index].dueAt = now + interval * UInt64(index) / UInt64(writers.count)
      send(from: index, count: 1)
    }
    if flags.isFlood {
      for index in writers.indices {
        for _ in 0..<flags.window { send(from: index, count: flags.batch) }
      }
    } else {
      tick()
    }
    loop.schedule(afterMilliseconds: Traffic.warmMilliseconds) { self.measure() }
  }

  private func measure() {
    phase = .measuring
    latency = Percentiles()
    acknowledgement = Percentiles()
    countsAtStart = snapshot()
    sampleMemory()
    loop.schedule(afterMilliseconds: UInt64(flags.seconds * 1_000)) { self.drain() }
  }

  private func drain() {
    countsAtEnd = snapshot()
    phase = .draining
    drainUntil = SteadyClock.nanoseconds() + Traffic.drainNanoseconds
    awaitRest()
  }

  private func awaitRest() {
    if missing > 0, SteadyClock.nanoseconds() < drainUntil {
      loop.schedule(afterMilliseconds: 20) { self.awaitRest() }
      return
    }
    phase = .comparing
    guard !flags.isThroughRelay, missing == 0 else { return finish() }
    for index in 0..<min(flags.rooms, Traffic.comparedRoomsMax, clients.count) {
      digestsWanted += 1
      clients[index].connection?.send(flags.encoding.frame(.digest))
    }
    loop.schedule(afterMilliseconds: 2_000) { self.finish() }
  }

  func compared(_ index: Int, hash: UInt64) {
    if hash == rooms[clients[index].room].canvas.digest { digestsAgreed += 1 }
    if digestsAgreed == digestsWanted { finish() }
  }

  /// The number of pairs of a client and a writer where the client hasn't received all of the writer's operations.
  private var missing: Int {
    var count = 0
    for (index, client) in clients.enumerated() {
      for writer in stride(from: client.room, to: writers.count, by: flags.rooms)
      where client.last[writer / flags.rooms] != Int32(writers[writer].sequence - 1) {
        count += 1
      }
      if index < writers.count, writers[index].acknowledged < writers[index].sequence, !flags.isThroughRelay {
        count += 1
      }
    }
    return count
  }

  private func snapshot() -> Counts {
    var now = counts
    now.serverNanoseconds = process?.cpuNanoseconds ?? 0
    now.ownNanoseconds = ProcessFigures(pid: Int(getpid())).cpuNanoseconds
    now.at = SteadyClock.nanoseconds()
    return now
  }

  private func sampleMemory() {
    guard phase == .measuring, let process else { return }
    residentMegabytes.append(Double(process.residentBytes) / 1e6)
    loop.schedule(afterMilliseconds: max(1_000, UInt64(flags.seconds * 1_000) / 10)) { self.sampleMemory() }
  }

  // MARK: Sending

  private var intervalNanoseconds: UInt64 { UInt64(1e9 / flags.rate * Double(flags.batch)) }

  private func tick() {
    guard phase == .warming || phase == .measuring else { return }
    let now = SteadyClock.nanoseconds()
    let interval = intervalNanoseconds
    for index in writers.indices where writers[index].dueAt <= now {
      send(from: index, count: flags.batch)
      writers[index].dueAt += interval
    }
    loop.schedule(afterMilliseconds: 1) { self.tick() }
  }

  private func send(from index: Int, count: Int) {
    guard let connection = clients[writers[index].client].connection, connection.isOpen else { return }
    let now = SteadyClock.nanoseconds()
    let wall = WallClock.milliseconds()
    var operations: [ProposedOperation] = []
    operations.reserveCapacity(count)
    for _ in 0..<count {
      var set = Properties()
      if writers[index].sequence == 0 { set.kind = .rectangle }
      set.position = LoadedRoom.position(of: writers[index].sequence)
      let stamp = writers[index].clock!.tick(milliseconds: wall)
      operations.append(ProposedOperation(shape: writers[index].shape, at: stamp, set: set))
      writers[index].sequence += 1
      writers[index].sentAt.append(now)
    }
    // The id is the sequence number of the last operation plus one, because an id of 0 means no id.
    let id = MessageIdentifier(json: JSONText(UInt64(writers[index].sequence)))
    if !connection.send(flags.encoding.frame(.operations(Submission(id: id, operations: operations)))) { unsent += 1 }
    counts.sent += UInt64(count)
  }

  /// Notes that the server has acknowledged a writer's operations up to `sequence` as durable.
  func acknowledged(_ index: Int, upTo sequence: Int, at now: UInt64) {
    guard sequence > 0, sequence <= writers[index].sequence else { return faults += 1 }
    let newly = sequence - writers[index].acknowledged
    writers[index].acknowledged = sequence
    counts.durable += UInt64(max(0, newly))
    acknowledgement.add(now - writers[index].sentAt[sequence - 1])
    // In a flood, each acknowledgement triggers the next batch. The first operation only creates the shape, so its
    // acknowledgement triggers none.
    if flags.isFlood, sequence > 1, phase == .warming || phase == .measuring { send(from: index, count: flags.batch) }
  }

  // MARK: The result

  private func finish() {
    guard phase == .comparing else { return }
    phase = .draining
    let seconds = Double(countsAtEnd.at - countsAtStart.at) / 1e9
    let deliveries = Double(countsAtEnd.deliveries - countsAtStart.deliveries)
    let durable = Double(countsAtEnd.durable - countsAtStart.durable)
    let messages = Double(countsAtEnd.messages - countsAtStart.messages)
    let cpu = Double(countsAtEnd.serverNanoseconds - countsAtStart.serverNanoseconds)
    var result = ResultLine()
    result.add("clients", clients.count)
    result.add("writers", writers.count)
    result.add("rooms", flags.rooms)
    result.add("deliveriesPerSecond", deliveries / seconds)
    result.add("operationsPerSecond", durable / seconds)
    result.add("cpuMicrosecondsPerDelivery", cpu / deliveries / 1e3)
    result.add("cpuMicrosecondsPerOperation", cpu / Double(countsAtEnd.sent - countsAtStart.sent) / 1e3)
    result.add("cpuMicrosecondsPerFrame", cpu / messages / 1e3)
    result.add("cpuShare", cpu / seconds / 1e9)
    result.add("ownCpuShare", Double(countsAtEnd.ownNanoseconds - countsAtStart.ownNanoseconds) / seconds / 1e9)
    result.add("operationsPerFrame", deliveries / messages)
    result.add("framesPerSecondEach", messages / seconds / Double(clients.count))
    result.add("bytesPerDelivery", Double(countsAtEnd.bytes - countsAtStart.bytes) / deliveries)
    result.add("delivery", nanoseconds: latency)
    result.add("ack", nanoseconds: acknowledgement)
    result.add("missing", missing)
    result.add("skipped", skipped)
    result.add("repeated", repeated)
    result.add("rejected", rejected)
    result.add("unsent", unsent)
    result.add("faults", faults)
    result.add("closedEarly", closedEarly)
    result.add("digestsWanted", digestsWanted)
    result.add("digestsAgreed", digestsAgreed)
    result.add("residentMegabytes", residentMegabytes)
    Load.finish(result)
  }
}
