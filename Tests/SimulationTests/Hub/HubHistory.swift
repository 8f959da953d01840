import WebSocketLoop

@testable import CanvasCRDT
@testable import RoomLog
@testable import ServerModel
@testable import SyncServer

/// A simulated history of one or several servers that share rooms, and of their clients. The servers run the real hub.
/// The log, the network, the threads for heavy work and the time are simulated.
///
/// What must hold at its end: all clients have the state that results from the log, nothing that was acknowledged or
/// drawn is missing, every request was answered, and the servers hold nothing that they no longer need.
final class HubHistory {
  enum Happening: CaseIterable {
    case killed, stopped, refusedUpgrade, turnedAway, moved, partialTake, fellBehind, logFailed, roomClosed
    case locked, unlocked, tokenTaken, rejected, deleted, removed, answered, refusedRequest, lostRequest
    case requestLeft, layoutTaken, snapshotMade, takenBack, tokenRenewed, tokenRefused
  }

  struct Server {
    var virtual: VirtualServer
    var log: DelayedLog
    /// The number of the server's process. A new process gets another number.
    var life: Int
    var isUp = true
    var isStopping = false
    var hadRoom = false
  }

  struct Request {
    let words: String
    let server: Int
    let life: Int
    let request: VirtualRequest
    let check: (HubHistory, Response) -> Void
  }

  let seed: UInt64
  var random: SeededGenerator
  var time: UInt64 = 1_000
  let shared: DelayedLog.Shared
  var servers: [Server] = []
  var clients: [HubClient] = []
  var requests: [Request] = []
  let configuration: Configuration
  private let logMillisecondsMax: UInt64
  private let networkMillisecondsMax: UInt64
  /// The share of reading requests that a database doesn't answer.
  var hiccupShare = 0.03
  /// The probability that the next piece of heavy work is done now.
  var heavyShare: Double
  /// What the token of one of the editors allows. `nil` while it is not valid.
  var shakyGrant: String? = HubHistory.fullGrant
  /// Whether all faults have ended, so that no request may be refused for want of a place.
  var isSettling = false
  /// The shapes that were reported as stored in answers to requests.
  var promised: Set<Identifier> = []
  /// The shapes that were stored in a room that has been deleted by now.
  var gone: Set<Identifier> = []
  private var lives = 0
  var lastPoint = 0
  var happened: Set<Happening> = []
  var failures: [String] = []
  /// A hash of everything that servers have sent.
  private(set) var fingerprint: UInt64 = 0xCBF2_9CE4_8422_2325

  init(seed: UInt64) {
    self.seed = seed
    var random = SeededGenerator(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ 7)
    let count = [1, 1, 2, 3].randomElement(using: &random)!
    var configuration = Configuration()
    configuration.storage = .memory
    configuration.limits.roomIdleMilliseconds = 3_000
    // Low limits on connections and requests show whether those that have ended still count.
    configuration.proxies = Proxies("10.0.1.9")!
    configuration.limits.connectionsPerAddress = 3
    configuration.limits.httpConnectionsPerAddress = 4
    configuration.limits.messagesPerSecond = 50
    configuration.limits.waitingAnswerBytes = 1_024
    configuration.limits.erasures = 2_560
    configuration.limits.ringBeats = [1, 3, 300].randomElement(using: &random)!
    configuration.limits.shapes = [8, 50, 1_000].randomElement(using: &random)!
    configuration.limits.operationsPerMessage = [4, 64].randomElement(using: &random)!
    configuration.limits.operationsPerSecond = [40, 2_000].randomElement(using: &random)!
    self.configuration = configuration
    logMillisecondsMax = [1, 10, 60].randomElement(using: &random)!
    networkMillisecondsMax = [1, 20, 100].randomElement(using: &random)!
    heavyShare = [0.05, 0.5, 1].randomElement(using: &random)!
    self.random = random
    shared = DelayedLog.Shared(isDatabase: count > 1)
    shared.hiccups = { [unowned self] in happens(hiccupShare) }
    shared.willDelete = { [unowned self] in noteDeletion() }
    for _ in 0..<count { servers.append(makeServer()) }
    for number in 0..<Int.random(in: 2...4, using: &self.random) { addClient(number) }
  }

  // MARK: Servers

  static let operatorToken = "token-of-an-operator"
  static let editorToken = "token-of-an-editor"
  static let strangerToken = "token-of-a-stranger"
  static let viewerToken = "token-of-a-viewer"
  static let shakyToken = "token-that-is-taken-away"
  static let fullGrant = "editor demo"

  var credentials: Credentials {
    let tokens = [
      "\(HubHistory.operatorToken) operator *", "\(HubHistory.editorToken) editor demo",
      "\(HubHistory.strangerToken) operator other-*", "\(HubHistory.viewerToken) viewer demo",
    ]
    let shaky = shakyGrant.map { ["\(HubHistory.shakyToken) \($0)"] } ?? []
    return Credentials(tokens: try! Tokens((tokens + shaky).joined(separator: "\n")))
  }

  private func makeServer() -> Server {
    lives += 1
    var log: DelayedLog!
    let virtual = VirtualServer(configuration, credentials: credentials, seed: random.next(), at: now) { hub in
      log = DelayedLog(shared, of: hub, at: time) { [unowned self] in delay(logMillisecondsMax) }
      return (log, shared.isDatabase ? log : nil)
    }
    return Server(virtual: virtual, log: log, life: lives)
  }

  func start(_ index: Int) {
    if !servers[index].isUp { servers[index] = makeServer() }
  }

  /// Ends a server's process between two iterations of its event loop.
  func kill(_ index: Int) {
    guard servers[index].isUp else { return }
    happened.insert(.killed)
    servers[index].log.end(carryingOut: Int.random(in: 0...3, using: &random))
    ended(index)
  }

  /// A server's process has ended.
  private func ended(_ index: Int) {
    servers[index].isUp = false
    for client in clients.indices where clients[client].line?.life == servers[index].life { lose(client, code: nil) }
    let lost = requests.filter { $0.life == servers[index].life }
    if lost.contains(where: { $0.request.response == nil }) { happened.insert(.lostRequest) }
    requests.removeAll { $0.life == servers[index].life }
    servers[index].virtual.die { servers[index].log.refuseAll() }
  }

  func stop(_ index: Int) {
    guard servers[index].isUp, !servers[index].isStopping else { return }
    servers[index].isStopping = true
    servers[index].virtual.hub.assumeIsolated { $0.stop() }
  }

  private func turn(_ index: Int) {
    guard servers[index].isUp else { return }
    let virtual = servers[index].virtual
    servers[index].log.pass(to: time)
    virtual.turn(at: now)
    while happens(heavyShare), virtual.workHeavily() { virtual.turn(at: now) }
    let (hasRoom, snapshots, fellBehind, hasPoacher) = virtual.hub.assumeIsolated { hub in
      let open = hub.rooms["demo"]
      let hasPoacher = hub.sessions.all.contains {
        if case .here(.editor, _, _) = $0.stage { $0.grant.level == .viewer } else { false }
      }
      return (open != nil, hub.counts.snapshots, open.map { $0.room.counts.caughtUp > 0 } ?? false, hasPoacher)
    }
    if hasPoacher { fail("somebody edits with a token that only lets look") }
    if fellBehind { happened.insert(.fellBehind) }
    if servers[index].hadRoom, !hasRoom { happened.insert(.roomClosed) }
    if snapshots > 0 { happened.insert(.snapshotMade) }
    servers[index].hadRoom = hasRoom
    guard let status = virtual.exitStatus else { return }
    happened.insert(.stopped)
    if status != 0 || !servers[index].isStopping { fail("a server has ended with \(status)") }
    ended(index)
  }

  // MARK: Time and chance

  var now: Moment { Moment(wallMilliseconds: RoomBench.epoch + time, monotonicMilliseconds: time) }
  func happens(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &random) < probability }
  func delay(_ most: UInt64) -> UInt64 { UInt64.random(in: 0...most, using: &random) }
  func fail(_ words: String) { failures.append("seed \(seed): \(words)") }

  func turn() {
    for index in servers.indices { turn(index) }
    for index in clients.indices { turn(client: index) }
    requests.removeAll { pending in
      guard let response = pending.request.response else { return false }
      happened.insert(response.status < 400 ? .answered : .refusedRequest)
      if isSettling, ["too_many", "rate_limited"].contains(response.code) {
        fail("\(pending.words) is refused, though nobody else asks anything")
      }
      pending.check(self, response)
      return true
    }
  }

  // MARK: Clients

  private func addClient(_ number: Int) {
    var settings = ReplicaConfiguration()
    settings.encoding = number % 2 == 0 ? .binary : .json
    settings.overlaps = number % 3 == 1
    clients.append(
      HubClient(
        name: "client \(number)",
        token: [1: HubHistory.shakyToken, 3: HubHistory.operatorToken][number] ?? HubHistory.editorToken,
        replica: Replica(configuration: settings, seed: random.next()),
        drain: number == 0 ? 1_000_000 : [200, 3_000, 1_000_000].randomElement(using: &random)!
      )
    )
    run(number) { $0.start(at: $1) }
  }

  func run(_ index: Int, _ event: (inout Replica, Moment) -> [ReplicaEffect]) {
    for effect in event(&clients[index].replica, now) {
      switch effect {
      case .connect: clients[index].connectsAt = time + 1 + delay(networkMillisecondsMax)
      case .send(let bytes):
        guard let line = clients[index].line else { continue }
        let earliest = max(line.toServer.last?.at ?? 0, time)
        clients[index].line?.toServer.append((earliest + delay(networkMillisecondsMax), bytes))
      case .disconnect:
        clients[index].connectsAt = nil
        hangUp(index)
      case .wake(let at): clients[index].wakesAt = at
      case .rejected(let edit):
        happened.insert(.rejected)
        clients[index].owed.remove(edit.operation.shape)
      case .tokenTaken: happened.insert(.tokenRenewed)
      case .error(let code, _): if code.string == "token_refused" { happened.insert(.tokenRefused) }
      case .digest(.disagrees): fail("\(clients[index].name) has another drawing than the server")
      case .failure(let error): fail("\(clients[index].name) can't read the server: \(error)")
      default: break
      }
    }
  }

  private func connect(_ index: Int) {
    clients[index].connectsAt = nil
    let server = servers.indices.randomElement(using: &random)!
    guard servers[server].isUp,
      let connection = servers[server].virtual.connect(
        clients[index].replica.configuration.encoding,
        to: "demo",
        from: "10.0.0.\(index + 1)",
        token: clients[index].token
      )
    else {
      if servers[server].isUp { happened.insert(.refusedUpgrade) }
      return run(index) { $0.disconnected(closeCode: nil, at: $1) }
    }
    if connection.closure != nil { happened.insert(.turnedAway) }
    if servers.count > 1 { happened.insert(.moved) }
    connection.room = clients[index].drain
    clients[index].line = HubClient.Line(server: server, life: servers[server].life, connection: connection)
    run(index) { $0.connected(at: $1) }
  }

  /// The client's connection breaks, and the client's server learns that.
  func hangUp(_ index: Int) {
    guard let line = clients[index].line else { return }
    clients[index].line = nil
    if servers[line.server].isUp, servers[line.server].life == line.life {
      servers[line.server].virtual.lose(line.connection)
    }
  }

  func lose(_ index: Int, code: UInt16?) {
    guard clients[index].line != nil else { return }
    hangUp(index)
    run(index) { $0.disconnected(closeCode: code, at: $1) }
  }

  private func turn(client index: Int) {
    if let at = clients[index].connectsAt, at <= time { connect(index) }
    if let at = clients[index].wakesAt, at <= time {
      clients[index].wakesAt = nil
      run(index) { $0.wake(at: $1) }
    }
    guard let line = clients[index].line else { return }
    let virtual = servers[line.server].virtual
    while let first = clients[index].line?.toServer.first, first.at <= time, !line.connection.isReadingPaused {
      clients[index].line?.toServer.removeFirst()
      virtual.receive(first.bytes, isText: clients[index].isText, on: line.connection)
    }
    guard clients[index].line != nil, time >= clients[index].stalledUntil else { return }
    read(index, line.connection)
    if line.connection.isFull { happened.insert(.partialTake) }
    line.connection.room = clients[index].drain
    virtual.takesMore(line.connection)
    guard clients[index].line?.connection === line.connection, let closure = line.connection.closure else { return }
    read(index, line.connection)
    lose(index, code: closure.code)
  }

  private func read(_ index: Int, _ connection: VirtualConnection) {
    let frames = connection.takeFrames()
    for byte in frames { fingerprint = (fingerprint ^ UInt64(byte)) &* 0x100_0000_01B3 }
    clients[index].line?.frames += frames
    guard var arrived = clients[index].line?.frames else { return }
    let messages = VirtualConnection.takeMessages(&arrived)
    clients[index].line?.frames = arrived
    for message in messages {
      guard clients[index].line?.connection === connection else { return }
      run(index) { [isText = clients[index].isText] in $0.received(message, isText: isText, at: $1) }
    }
  }
}
