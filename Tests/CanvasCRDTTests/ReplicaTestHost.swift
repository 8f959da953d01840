import Testing

@testable import CanvasCRDT

/// A replica with its host and its end of the connection. It does what the replica asks for, and checks what the
/// replica promises.
struct TestHost {
  var replica: Replica
  var server: Int
  /// How wrong this host's wall clock is.
  var wallError: Int64
  var toServer: [[UInt8]] = []
  var wantsConnection = false
  var isOpen = false
  var wakeAt: UInt64?
  var effects: [ReplicaEffect] = []
  var rejected: [RejectedEdit] = []
  var superseded: [SupersededValue] = []
  var verdicts: [DigestVerdict] = []
  var resets = 0
  var failures: [MessageError] = []
  var departures: [ShapeEdit] = []
  private var checks = 0
  /// What a screen shows if it follows only the effects.
  var screen: [Identifier: Shape] = [:]

  init(_ replica: Replica, session: Int = 0, wallError: Int64 = 0) {
    self.replica = replica
    server = session
    self.wallError = wallError
    repaint()
  }

  mutating func run(at time: UInt64, _ event: (inout Replica, Moment) -> [ReplicaEffect]) {
    let now = moment(time)
    run { event(&$0, now) }
  }

  mutating func repaint() {
    screen = [:]
    for shape in replica.canvas.shapes { screen[shape.id] = shape }
  }

  func moment(_ time: UInt64) -> Moment {
    Moment(
      wallMilliseconds: UInt64(Int64(TestHost.epoch + time) + wallError),
      monotonicMilliseconds: time
    )
  }

  static let epoch: UInt64 = 1_763_650_000_000

  mutating func run(_ event: (inout Replica) -> [ReplicaEffect]) {
    let effects = event(&replica)
    self.effects += effects
    for effect in effects {
      switch effect {
      case .connect: wantsConnection = true
      case .send(let bytes): toServer.append(bytes)
      case .disconnect:
        isOpen = false
        wantsConnection = false
        toServer = []
      case .wake(let at): wakeAt = at
      case .changed(let changes, _):
        for change in changes { screen[change.shape] = replica.canvas[change.shape] }
      case .reset:
        resets += 1
        repaint()
      case .rejected(let edit): rejected.append(edit)
      case .superseded(let values): superseded += values
      case .digest(let verdict): verdicts.append(verdict)
      case .failure(let error): failures.append(error)
      case .departed(let departure): departures.append(departure)
      case .overlaps, .unsent, .state, .peers, .joined, .left, .presence, .presenceTooLong, .pong, .error: break
      }
    }
    checkInvariants()
  }

  /// Checks that the shown drawing is the confirmed one with the pending edits over it, and that the effects have
  /// reported all of it.
  mutating func checkInvariants() {
    checks += 1
    // From here on the digest is updated with each change; before it was computed when asked for.
    if checks == 20 { replica.optimistic.shown.countDigest() }
    var expected = replica.confirmedCanvas
    #expect(replica.confirmedDigest == expected.digest)
    var counts: [Identifier: Int] = [:]
    var last: Stamp?
    replica.outbox.forEach { pending in
      expected.apply(pending.operation)
      counts[pending.operation.shape, default: 0] += 1
      if let last { #expect(last < pending.operation.at) }
      last = pending.operation.at
    }
    #expect(expected == replica.canvas)
    let pending = replica.optimistic.pending
    #expect(counts == Dictionary(uniqueKeysWithValues: zip(pending.keys, pending.values)))
    #expect(replica.optimistic.base.operations().allSatisfy { counts[$0.shape] != nil })
    let shapes = replica.canvas.shapes
    #expect(shapes.count == screen.count && shapes.allSatisfy { screen[$0.id] == $0 })
  }
}

/// Hosts and a server, where everything arrives at once and in order, for tests of one thing.
struct TestRoom {
  var server: MiniServer
  var hosts: [TestHost] = []
  var time: UInt64 = 1_000

  init(seed: UInt64 = 1) { server = MiniServer(seed: seed) }

  @discardableResult
  mutating func join(_ replica: Replica, wallError: Int64 = 0) -> Int {
    hosts.append(TestHost(replica, session: hosts.count, wallError: wallError))
    let host = hosts.count - 1
    run(host) { replica, now in replica.start(at: now) }
    settle()
    return host
  }

  @discardableResult
  mutating func join(seed: UInt64 = 7, wallError: Int64 = 0) -> Int {
    join(Replica(seed: seed &+ UInt64(hosts.count)), wallError: wallError)
  }

  mutating func run(_ host: Int, _ event: (inout Replica, Moment) -> [ReplicaEffect]) {
    let now = hosts[host].moment(time)
    hosts[host].run { event(&$0, now) }
  }

  mutating func edit(_ host: Int, _ shape: Identifier, _ assign: (inout Properties) -> Void) {
    var set = Properties()
    assign(&set)
    run(host) { $0.edit([ShapeEdit(shape: shape, set: set)], at: $1) }
  }

  mutating func add(_ host: Int, _ assign: (inout Properties) -> Void = { _ in }) -> Identifier {
    var set = Properties()
    assign(&set)
    var shape: Identifier?
    run(host) { replica, now in
      let added = replica.add(set, at: now)
      shape = added.shape
      return added.effects
    }
    return shape!
  }

  mutating func disconnect(_ host: Int, code: UInt16? = nil) {
    hosts[host].isOpen = false
    hosts[host].toServer = []
    server.close(hosts[host].server)
    run(host) { $0.disconnected(closeCode: code, at: $1) }
  }

  /// Delivers one host's messages to the server; the server's messages wait.
  mutating func deliverToServer(_ host: Int) {
    while !hosts[host].toServer.isEmpty {
      let bytes = hosts[host].toServer.removeFirst()
      try? server.receive(bytes, from: hosts[host].server, wall: TestHost.epoch + time)
    }
  }

  @discardableResult
  mutating func deliverOne(to host: Int) -> Bool {
    guard hosts[host].isOpen, let mail = server.sessions[hosts[host].server]?.mail, let bytes = mail.first else {
      return false
    }
    server.sessions[hosts[host].server]?.mail.removeFirst()
    let isText = server.encoding.isText
    run(host) { $0.received(bytes, isText: isText, at: $1) }
    return true
  }

  mutating func open(_ host: Int) {
    guard hosts[host].wantsConnection else { return }
    hosts[host].wantsConnection = false
    hosts[host].isOpen = true
    server.open(hosts[host].server)
    run(host) { $0.connected(at: $1) }
  }

  /// Delivers messages until nobody has any left. Time passes only if somebody waits for it.
  mutating func settle(for milliseconds: UInt64 = 0) {
    let end = time + milliseconds
    while true {
      var isQuiet = true
      for host in hosts.indices {
        if !hosts[host].isOpen, server.sessions[hosts[host].server] != nil { server.close(hosts[host].server) }
        open(host)
        if !hosts[host].toServer.isEmpty { isQuiet = false }
        deliverToServer(host)
      }
      for host in hosts.indices {
        server.flush(hosts[host].server)
        while deliverOne(to: host) { isQuiet = false }
      }
      guard isQuiet else { continue }
      guard let next = hosts.compactMap({ $0.wakeAt }).min(), next <= end else { break }
      time = max(time, next)
      for host in hosts.indices where hosts[host].wakeAt == next {
        hosts[host].wakeAt = nil
        run(host) { $0.wake(at: $1) }
      }
    }
    time = max(time, end)
  }
}
