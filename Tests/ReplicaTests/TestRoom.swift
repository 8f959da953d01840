import CanvasCRDT
import TestSupport

@testable import ServerModel
@testable import SyncServer

/// A room and several clients, for tests of single behaviours. Messages arrive at once and in order.
struct TestRoom {
  var server: RoomBench
  var hosts: [TestHost] = []
  /// The highest role that new connections may get.
  var roleMax = Role.editor
  /// Whether the log refuses to store anything.
  var isLogDown = false
  /// How far the server's wall clock is wrong, in milliseconds.
  var serverError: Int64 = 0 { didSet { time += 0 } }

  init(_ change: (inout Limits) -> Void = { _ in }) {
    server = RoomBench { limits in
      // The room broadcasts at once, because only the test lets time pass.
      limits.beatMilliseconds = 0
      change(&limits)
    }
    time = 1_000
  }

  static func withAnn(_ change: (inout Limits) -> Void = { _ in }) -> (TestRoom, ann: Int) {
    var room = TestRoom(change)
    let ann = room.join()
    return (room, ann)
  }

  static func withAnnAndBob(_ change: (inout Limits) -> Void = { _ in }) -> (TestRoom, ann: Int, bob: Int) {
    var (room, ann) = withAnn(change)
    let bob = room.join()
    return (room, ann, bob)
  }

  /// A room with Ann, who has made a shape.
  static func withShape(_ change: (inout Limits) -> Void = { _ in }) -> (TestRoom, ann: Int, shape: Identifier) {
    var (room, ann) = withAnn(change)
    let shape = room.add(ann)
    room.settle()
    return (room, ann, shape)
  }

  /// A room with Ann and Bob. Ann has made a shape.
  static func withTwo() -> (TestRoom, ann: Int, bob: Int, shape: Identifier) {
    var (room, ann, bob) = withAnnAndBob()
    let shape = room.add(ann)
    room.settle()
    return (room, ann, bob, shape)
  }

  var time: UInt64 {
    get { server.now.monotonicMilliseconds }
    set {
      let wall = UInt64(Int64(TestHost.epoch + newValue) + serverError)
      server.now = Moment(wallMilliseconds: wall, monotonicMilliseconds: newValue)
    }
  }

  /// Sets the server's wall clock, but not its monotonic clock.
  mutating func setServerClock(_ time: UInt64) {
    server.now = Moment(
      wallMilliseconds: TestHost.epoch + time,
      monotonicMilliseconds: server.now.monotonicMilliseconds
    )
  }

  var canvas: Canvas { server.room.canvas }
  var cursor: Cursor { server.room.cursor }
  /// The operations of each message that the log has stored.
  var stored: [[Operation]] { server.log.map(\.operations) }
  var log: [Operation] { stored.flatMap { $0 } }
  /// How often the room has refused a message with this code.
  func refusals(_ code: RejectCode) -> UInt64 { server.room.counts.refusals(code) }
}

// MARK: - What people do

extension TestRoom {
  @discardableResult
  mutating func join(_ replica: Replica, wallError: Int64 = 0) -> Int { join(TestHost(replica, wallError: wallError)) }

  @discardableResult
  mutating func join(_ newcomer: TestHost) -> Int {
    hosts.append(newcomer)
    let host = hosts.count - 1
    run(host, as: "start") { replica, now in replica.start(at: now) }
    settle()
    return host
  }

  @discardableResult
  mutating func join(seed: UInt64 = 7, wallError: Int64 = 0) -> Int {
    join(Replica(seed: seed &+ UInt64(hosts.count)), wallError: wallError)
  }

  mutating func run(
    _ host: Int,
    as record: @autoclosure () -> RecordedHistory.Event? = nil,
    _ event: (inout Replica, Moment) -> [ReplicaEffect]
  ) {
    hosts[host].run(at: time, as: record(), event)
  }

  mutating func edit(_ host: Int, _ shape: Identifier, _ assign: (inout Properties) -> Void) {
    run(host) { $0.edit([ShapeEdit(shape: shape, set: Properties(assign))], at: $1) }
  }

  mutating func add(_ host: Int, _ assign: (inout Properties) -> Void = { _ in }) -> Identifier {
    var shape: Identifier?
    run(host) { replica, now in
      let added = replica.add(Properties(assign), at: now)
      shape = added.shape
      return added.effects
    }
    return shape!
  }

  mutating func undo(_ host: Int, settles: Bool = false) {
    run(host) { $0.undo(at: $1) }
    if settles { settle() }
  }

  mutating func redo(_ host: Int, settles: Bool = false) {
    run(host) { $0.redo(at: $1) }
    if settles { settle() }
  }

  mutating func beginGroup(_ host: Int) {
    run(host) { replica, _ in
      replica.beginGroup()
      return []
    }
  }

  mutating func endGroup(_ host: Int) {
    run(host) { replica, _ in
      replica.endGroup()
      return []
    }
  }

  /// Tells a client's replica that its current state is stored.
  mutating func keep(_ host: Int) {
    let until = hosts[host].reserve()
    run(host) { $0.kept(untilMilliseconds: until, at: $1) }
  }

  /// Passes a made-up server message to a client.
  mutating func hand(_ message: ServerMessage, to host: Int) { hosts[host].hear(message, at: time) }
}

// MARK: - Connections

extension TestRoom {
  mutating func open(_ host: Int) {
    guard hosts[host].wantsConnection else { return }
    hangUp(host)
    hosts[host].wantsConnection = false
    hosts[host].isOpen = true
    hosts[host].client = server.connect(hosts[host].encoding, roleMax: roleMax)
    run(host, as: "connected") { $0.connected(at: $1) }
  }

  mutating func disconnect(_ host: Int, code: UInt16? = nil) {
    hosts[host].isOpen = false
    hosts[host].toServer = []
    hangUp(host)
    run(host, as: .disconnected(code)) { $0.disconnected(closeCode: code, at: $1) }
  }

  /// Lets a client connect, and delivers its hello.
  mutating func greet(_ host: Int) {
    run(host) { $0.start(at: $1) }
    open(host)
    deliverToServer(host)
  }

  /// Tells the room that a connection has ended.
  private mutating func hangUp(_ host: Int) {
    if let client = hosts[host].client { server.leave(client) }
    hosts[host].client = nil
  }

  /// Delivers a client's messages to the room, but no answers.
  mutating func deliverToServer(_ host: Int) {
    guard hosts[host].isOpen, let client = hosts[host].client else { return }
    while !hosts[host].toServer.isEmpty, !server.clients[client].isReadingPaused {
      server.say(hosts[host].toServer.removeFirst(), client)
    }
    serve()
  }

  /// Delivers an intercepted message to the room.
  mutating func deliver(_ submission: Submission, from host: Int) {
    if let client = hosts[host].client { server.say(.operations(submission), client) }
    serve()
  }

  /// Delivers the room's next message to a client, or the close of the connection if no message is left.
  /// - Returns: whether there was something to deliver.
  @discardableResult
  mutating func deliverOne(to host: Int) -> Bool {
    guard hosts[host].isOpen, let client = hosts[host].client else { return false }
    if !server.clients[client].mail.isEmpty {
      let bytes = server.clients[client].mail.removeFirst()
      let encoding = hosts[host].encoding
      run(host, as: .received(bytes, encoding)) { $0.received(bytes, isText: encoding.isText, at: $1) }
      return true
    }
    guard let code = server.clients[client].closed else { return false }
    disconnect(host, code: code.rawValue)
    return true
  }

  /// Delivers all of the room's messages to a client.
  mutating func deliverAll(to host: Int) { while deliverOne(to: host) {} }
}

// MARK: - The room

extension TestRoom {
  /// Lets the log answer, and lets the room send what is due.
  mutating func serve() {
    while !server.waiting.isEmpty { if isLogDown { server.fail() } else { server.commit() } }
    if server.room.isFlushDue(now: server.now) { server.room.flush(now: server.now) }
    server.send()
  }

  /// Replaces the room by a new one of the same name with these operations. No client may be connected.
  mutating func replaceRoom(by actor: Identifier, _ operations: [ProposedOperation]) {
    server.restart(with: RoomBench.room(server.limits, epoch: server.room.epoch + 1))
    server.log = []
    server.room.submit(operations, request: 1, actor: actor, now: server.now)
    server.takeEffects()
    serve()
  }

  /// Delivers messages until there are none. Time passes only while a client waits for a timer.
  mutating func settle(for milliseconds: UInt64 = 0) {
    let end = time + milliseconds
    while true {
      var isQuiet = true
      for host in hosts.indices {
        if !hosts[host].isOpen { hangUp(host) }
        open(host)
        if !hosts[host].toServer.isEmpty { isQuiet = false }
        deliverToServer(host)
      }
      serve()
      for host in hosts.indices {
        while deliverOne(to: host) { isQuiet = false }
      }
      guard isQuiet else { continue }
      let due = hosts.compactMap { $0.wakeAt } + [server.room.flushDueAt].compactMap { $0 }
      guard let next = due.min(), next <= end else { break }
      time = max(time, next)
      for host in hosts.indices where hosts[host].wakeAt == next {
        hosts[host].wakeAt = nil
        run(host, as: "wake") { $0.wake(at: $1) }
      }
    }
    time = max(time, end)
  }
}
