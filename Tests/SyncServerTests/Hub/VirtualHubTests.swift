import RoomLog
import Testing
import WebSocketLoop

@testable import CanvasCRDT
@testable import ServerModel
@testable import SyncServer

@Suite("The hub on a machine that a test makes up")
struct VirtualHubTests {
  /// A server, its clients, and the time of all of them.
  private struct World {
    let server: VirtualServer
    var replicas: [Replica] = []
    private var connections: [VirtualConnection?] = []
    private var unread: [[UInt8]] = []
    /// Everything that the server has sent to any client, in order.
    private(set) var sent: [UInt8] = []
    private(set) var now = Moment(wallMilliseconds: RoomBench.epoch, monotonicMilliseconds: 1_000)

    init(seed: UInt64 = 1, bus: (any Bus)? = nil, _ change: (inout Configuration) -> Void = { _ in }) {
      var configuration = Configuration()
      configuration.storage = .memory
      change(&configuration)
      server = VirtualServer(configuration, seed: seed, at: now) { hub in (MemoryLog { hub.logTold($0) }, bus) }
      server.turn(at: now)
    }

    mutating func join(_ encoding: WireEncoding) -> Int {
      var configuration = ReplicaConfiguration()
      configuration.encoding = encoding
      replicas.append(Replica(configuration: configuration, seed: UInt64(replicas.count) + 1))
      connections.append(nil)
      unread.append([])
      run(replicas.count - 1) { $0.start(at: $1) }
      return replicas.count - 1
    }

    mutating func run(_ index: Int, _ event: (inout Replica, Moment) -> [ReplicaEffect]) {
      for effect in event(&replicas[index], now) {
        switch effect {
        case .connect:
          connections[index] = server.connect(
            replicas[index].configuration.encoding,
            to: "demo",
            from: "10.0.0.\(index)"
          )
          run(index) { $0.connected(at: $1) }
        case .send(let bytes):
          guard let connection = connections[index] else { continue }
          server.receive(bytes, isText: replicas[index].configuration.encoding.isText, on: connection)
        default: break
        }
      }
    }

    /// Lets time pass. Each turn (iteration of the loop) takes one millisecond.
    mutating func pass(_ milliseconds: UInt64, worksHeavily: Bool = true) {
      for _ in 0..<milliseconds {
        now.wallMilliseconds += 1
        now.monotonicMilliseconds += 1
        server.turn(at: now)
        if worksHeavily { server.workHeavily() }
        for index in replicas.indices { read(index) }
      }
    }

    private mutating func read(_ index: Int) {
      guard let connection = connections[index] else { return }
      let frames = connection.takeFrames()
      sent += frames
      unread[index] += frames
      let isText = replicas[index].configuration.encoding.isText
      for message in VirtualConnection.takeMessages(&unread[index]) {
        run(index) { $0.received(message, isText: isText, at: $1) }
      }
      guard let code = connection.closure?.code else { return }
      connections[index] = nil
      server.lose(connection)
      run(index) { $0.disconnected(closeCode: code, at: $1) }
    }
  }

  @Test("of many readers that take bytes again at once, some are served in the next turns, and none is forgotten")
  func readersInTurns() throws {
    // Each look at the clock takes longer than readers may be served in a turn.
    let timed = TimedServer(lookMicroseconds: 4_000) { MemoryLog(sink: $0) }
    let server = timed.server
    timed.pass(turns: 40)
    let all = try (1...4).map { number in
      let connection = try server.join(from: "10.0.0.\(number)")
      timed.pass(turns: 40)
      return connection
    }
    let readers = all.dropLast()
    for reader in readers {
      _ = reader.takeFrames()
      reader.room = 0
    }
    let operation = ProposedOperation(shape: Identifier(packed: 7)!, at: nil, set: .star)
    server.say(.operations(Submission(id: MessageIdentifier(1), operations: [operation])), on: all[3])
    timed.pass(turns: 40)
    #expect(readers.allSatisfy { $0.isFull && $0.isRead })
    var served: [Int] = []
    for reader in readers { reader.room = .max }
    for _ in readers {
      for reader in readers { server.takesMore(reader) }
      served.append(readers.count { !$0.isRead })
      timed.pass(turns: 1)
    }
    #expect(served == [1, 2, 3])
  }

  @Test("in a large room, who isn't served in a turn is after a pause, however much is drawn meanwhile")
  func largeRoom() throws {
    // To serve some readers takes ten milliseconds, so the pause after them takes 21.
    let timed = TimedServer(workMicroseconds: 10_000) { MemoryLog(sink: $0) }
    let server = timed.server
    timed.pass(turns: 40)
    let readers = try (0..<300).map { try server.join(from: "10.0.\($0 / 100).\($0 % 100)") }
    timed.pass(turns: 600)
    #expect(readers.allSatisfy { !$0.isRead })
    for reader in readers { _ = reader.takeFrames() }
    var edits: UInt64 = 0
    /// Draws in each of some turns.
    func draw(turns: Int) {
      for _ in 0..<turns {
        edits += 1
        let operation = ProposedOperation(shape: Identifier(packed: 7)!, at: nil, set: .star)
        server.say(.operations(Submission(id: MessageIdentifier(edits), operations: [operation])), on: readers[0])
        timed.pass(turns: 1)
      }
    }
    func served() -> Int { readers.count { !$0.isRead } }
    while served() < 200, edits < 50 { draw(turns: 1) }
    draw(turns: 20)
    #expect((200..<300).contains(served()))
    #expect(server.hub.assumeIsolated { $0.counts.deliveryMicroseconds.sum } > 0, "the first readers have them")
    draw(turns: 10)
    #expect(served() == 300)
  }

  /// Two people join, draw at the same time, and see what the other has drawn.
  private func drawTogether(seed: UInt64) -> World {
    var world = World(seed: seed)
    let (ann, ben) = (world.join(.binary), world.join(.json))
    world.pass(20)
    for (person, kind) in [(ann, ShapeKind.star), (ben, .ellipse)] {
      let set = Properties { $0.kind = kind }
      world.run(person) { $0.add(set, at: $1).1 }
    }
    world.pass(50)
    return world
  }

  @Test("R7: no error comes before a plain 1001, also if a room is closed because of its log")
  func plainGoodbye() throws {
    var world = World()
    let connection = try world.server.join(.json)
    world.pass(20)
    world.server.hub.assumeIsolated { hub in hub.rooms["demo"].map { hub.stop($0, "the log can't tell what came next") }
    }
    world.pass(20)
    var frames = connection.takeFrames()
    let messages = VirtualConnection.takeMessages(&frames).map { String(decoding: $0, as: UTF8.self) }
    #expect(connection.closure?.code == CloseCode.goingAway.rawValue)
    #expect(messages.count >= 2 && !messages.contains { $0.contains("\"error\"") })
  }

  @Test("what is drawn waits for its beat, also while the node has something to tell the others in each turn")
  func telling() throws {
    let bus = CountingBus()
    var world = World(bus: bus)
    let server = world.server
    func commits() -> UInt64? { server.hub.assumeIsolated { $0.log.statistics?.commits } }
    world.pass(20)
    let before = try #require(commits())
    var requests: [VirtualRequest] = []
    for shape in 1...40 as ClosedRange<UInt64> {
      requests.append(server.draw(shape))
      server.hub.busTold(.missed)
      world.pass(1)
    }
    world.pass(20)
    #expect(requests.allSatisfy { $0.response?.status == 200 })
    #expect(bus.count >= 40)
    let after = try #require(commits())
    #expect(after - before <= 60 / Limits().beatMilliseconds + 1)
  }

  /// The requests that a log has not got yet.
  ///
  /// `@unchecked Sendable`: they belong to one test, which runs on one thread.
  private final class Held: @unchecked Sendable {
    var requests: [LogRequest] = []
    var rooms: MemoryLog?
    var isHolding = false

    func log(_ sink: @escaping LogSink) -> MeddledLog {
      MeddledLog(MemoryLog(sink: sink)) { [self] requests, rooms in
        self.rooms = rooms
        if isHolding { self.requests += requests } else { rooms.submit(requests) }
      }
    }
  }

  @Test("it isn't ready while an edit has waited ten seconds for the log, however many came later")
  func silentLog() throws {
    let held = Held()
    let timed = TimedServer { held.log($0) }
    let server = timed.server
    func pass(milliseconds: Int) { timed.pass(turns: milliseconds / 10, of: 10) }
    var readiness: Int { server.hub.assumeIsolated { $0.readiness().status } }
    pass(milliseconds: 100)
    let first = server.draw(1)
    pass(milliseconds: 100)
    #expect(first.response?.status == 200)
    held.isHolding = true
    let second = server.draw(2)
    pass(milliseconds: 9_900)
    let third = server.draw(3)
    #expect(readiness == 200)
    pass(milliseconds: 200)
    #expect(readiness == 503 && second.response == nil && third.response == nil)
    held.isHolding = false
    held.rooms?.submit(held.requests)
    pass(milliseconds: 100)
    #expect(readiness == 200 && second.response?.status == 200 && third.response?.status == 200)
  }

  @Test("at the second signal it ends at once")
  func secondSignal() {
    let world = World()
    world.server.hub.assumeIsolated { $0.stop() }
    #expect(world.server.exitStatus == nil)
    world.server.hub.assumeIsolated { $0.stopAtOnce() }
    #expect(world.server.exitStatus == 1)
  }

  @Test("what people show that is too much for one message to other nodes is told in the next ones")
  func showingMuch() throws {
    let bus = CountingBus()
    var world = World(bus: bus) { $0.limits.presenceBytes = 65_536 }
    let server = world.server
    let people = try (1...10).map { try server.join(.json, from: "10.0.0.\($0)") }
    world.pass(20)
    // Nodes tell each other what people show in rooms in which both have somebody.
    let elsewhere = Person(
      peer: Peer(actor: Identifier(packed: 7)!, name: "Ann", color: Color(packed: 0x11_22_33)),
      role: .editor,
      arrival: 1,
      origin: Person.Origin(token: nil, address: "10.0.1.1")
    )
    let rooms = [RoomNews(room: "demo", isWhole: true, joined: [elsewhere])]
    server.hub.busTold(.heard(NodeNews(node: 2, number: 1, isWhole: true, rooms: rooms).encoded()))
    world.pass(20)
    let state = JSONText("{\"x\":\"\(String(repeating: "x", count: 60_000))\"}")
    for connection in people { server.say(.presence(state), in: .json, on: connection) }
    world.pass(2_500)
    let told = bus.messages.compactMap { NodeNews($0) }.flatMap(\.rooms).flatMap(\.states)
    #expect(Set(told.map(\.actor)).count == people.count)
  }

  @Test("work on overlaps takes the turns of those who want to know of them, and of nobody else")
  func overlapParties() throws {
    var world = drawTogether(seed: 1)
    var hello = Hello()
    hello.overlaps = true
    _ = try world.server.join(.json, hello, from: "10.0.0.9")
    world.pass(20)
    #expect(world.server.hub.assumeIsolated { $0.rooms["demo"]?.overlapParties } == ["10.0.0.9"])
  }

  @Test("a room stays open until its overlaps are freed, which is done at once if somebody waits for it")
  func overlapsFreed() throws {
    var world = World { $0.limits.roomIdleMilliseconds = 100 }
    let server = world.server
    var hello = Hello()
    hello.overlaps = true
    let askers = try ["a", "b", "c"].map { try server.join(.json, hello, from: "10.0.0.9", to: $0) }
    world.pass(60)
    askers.forEach(server.lose)
    func rooms() -> [String] { ["a", "b", "c"].filter { room in server.hub.assumeIsolated { $0.rooms[room] != nil } } }
    world.pass(3_000, worksHeavily: false)
    #expect(rooms() == ["a", "b", "c"])
    let waiting = try server.join(.json, hello, from: "10.0.0.7", to: "c")
    world.pass(20, worksHeavily: false)
    for _ in 0..<2 { server.workHeavily() }
    server.lose(waiting)
    world.pass(3_000, worksHeavily: false)
    #expect(rooms() == ["b"])
    world.pass(3_000)
    #expect(rooms().isEmpty)
  }

  @Test("a request over HTTP is answered after heavy work has had its turn") func overHTTP() throws {
    var world = drawTogether(seed: 1)
    let request = world.server.request(Request(path: "/v1/rooms/demo/picture.svg", peer: "10.0.0.9"))
    world.server.turn(at: world.now)
    #expect(request.response == nil)
    world.pass(5)
    #expect(request.response?.status == 200)
  }

  /// Reverts everything that the first of two people has drawn.
  /// - Parameter isBusy: whether the second person draws all the while.
  /// - Returns: the room's shapes then, and how many jobs other threads than the loop's had to do.
  private func takeBack(isBusy: Bool) throws -> (shapes: [Shape], jobs: Int) {
    var world = drawTogether(seed: 1)
    let path = "/v1/rooms/demo/writing/\(world.replicas[0].actor)"
    let request = world.server.request(Request(method: "DELETE", path: path, peer: "10.0.0.9"))
    var jobs = 0
    for _ in 0..<30 where request.response == nil {
      if isBusy {
        let set = Properties { $0.kind = .ellipse }
        world.run(1) { $0.add(set, at: $1).1 }
      }
      world.pass(30, worksHeavily: false)
      if world.server.workHeavily() { jobs += 1 }
    }
    #expect(request.response?.status == 200)
    world.pass(50)
    return (world.replicas[1].canvas.shapes, jobs)
  }

  @Test("what somebody has drawn is reverted beside the loop, also what changes while that is worked out")
  func takenBack() throws {
    let (quiet, busy) = (try takeBack(isBusy: false), try takeBack(isBusy: true))
    #expect(quiet.shapes.map(\.properties.kind) == [.ellipse])
    #expect(busy.jobs == quiet.jobs + TakingBack.roundsMax - 1)
    #expect(busy.shapes.count > busy.jobs && busy.shapes.allSatisfy { $0.properties.kind == .ellipse })
  }

  @Test("very much is reverted in parts of several turns, without what changes meanwhile, and that after it")
  func takenBackInParts() throws {
    var world = World { $0.limits.operationsPerMessage = 10 }
    let (ann, ben) = (world.join(.binary), world.join(.json))
    world.pass(20)
    for _ in 0..<45 {
      let set = Properties.star
      world.run(ann) { $0.add(set, at: $1).1 }
      world.pass(20)
    }
    let path = "/v1/rooms/demo/writing/\(world.replicas[ann].actor)"
    let request = world.server.request(Request(method: "DELETE", path: path, peer: "10.0.0.9"))
    let last = try #require(world.replicas[ben].canvas.shapes.map(\.id).max())
    var counts = [45]
    for _ in 0..<200 where request.response == nil {
      world.pass(1)
      counts.append(world.server.hub.assumeIsolated { $0.rooms["demo"]!.room.canvas.liveCount })
      guard counts.last == 35, counts.dropLast().last == 45 else { continue }
      world.run(ben) { $0.edit([ShapeEdit(shape: last, set: Properties { $0.name = "kept" })], at: $1) }
    }
    #expect(request.response?.status == 200)
    #expect(counts.last == 0)
    #expect(zip(counts, counts.dropFirst()).allSatisfy { $0 - $1 <= 10 })
    #expect(Set(counts).contains(1), "a shape that somebody named meanwhile goes last")
  }

  @Test(
    "H16: what somebody writes while another's edits are reverted stays, whenever it comes",
    arguments: 0..<40 as Range<UInt64>
  )
  func writtenWhileTakenBack(milliseconds: UInt64) throws {
    var world = World()
    let (ann, ben) = (world.join(.binary), world.join(.json))
    world.pass(20)
    world.run(ben) { $0.add(.star, at: $1).1 }
    world.pass(40)
    let shape = try #require(world.replicas[ben].canvas.shapes.first?.id)
    let taken = Properties { ($0.rotation, $0.alpha) = (1, 7) }
    world.run(ann) { $0.edit([ShapeEdit(shape: shape, set: taken)], at: $1) }
    world.pass(40)
    let path = "/v1/rooms/demo/writing/\(world.replicas[ann].actor)"
    let request = world.server.request(Request(method: "DELETE", path: path, peer: "10.0.0.9"))
    world.pass(milliseconds)
    world.run(ben) { $0.edit([ShapeEdit(shape: shape, set: Properties { $0.rotation = 2 })], at: $1) }
    for _ in 0..<200 where request.response == nil { world.pass(1) }
    #expect(request.response?.status == 200)
    world.pass(50)
    let left = world.server.hub.assumeIsolated { $0.rooms["demo"]!.room.canvas[shape]?.properties }
    // If both are of the same millisecond, Ben may lose, and is told.
    #expect(left?.rotation == 2 || String(decoding: world.sent, as: UTF8.self).contains("superseded"))
    #expect(left?.alpha == Properties.star.alpha)
  }

  @Test("H16: a shape is deleted whose maker goes on moving it while that is reverted")
  func movedWhileTakenBack() throws {
    var world = World()
    let (ann, ben) = (world.join(.binary), world.join(.json))
    world.pass(20)
    world.run(ann) { $0.add(.star, at: $1).1 }
    world.pass(40)
    let shape = try #require(world.replicas[ben].canvas.shapes.first?.id)
    let path = "/v1/rooms/demo/writing/\(world.replicas[ann].actor)"
    let request = world.server.request(Request(method: "DELETE", path: path, peer: "10.0.0.9"))
    for step in 0..<200 where request.response == nil {
      world.run(ann) { $0.edit([ShapeEdit(shape: shape, set: Properties { $0.rotation = Double(step) })], at: $1) }
      world.pass(1)
    }
    #expect(request.response?.status == 200)
    world.pass(50)
    #expect(world.server.hub.assumeIsolated { $0.rooms["demo"]!.room.canvas[shape] } == nil)
  }

  @Test("a file system that hangs doesn't stop the server, and is asked once")
  func hangingDisk() {
    var world = World { $0.storage = .directory("/tmp") }
    world.pass(5_000, worksHeavily: false)
    #expect(world.server.heavyWorkCount == 1)
    #expect(world.server.hub.assumeIsolated { $0.accounts.storage.freeBytes } == nil)
    world.pass(2)
    #expect(world.server.hub.assumeIsolated { $0.accounts.storage.freeBytes } ?? 0 > 0)
  }

  @Test("what an address has written is forgotten once it counts for nothing")
  func faded() {
    // Each room counts for a second.
    var world = World { $0.limits.dayRoomsPerAddress = 86_400 }
    let server = world.server
    func known() -> [Int] {
      server.hub.assumeIsolated { [$0.requestBook.rates.count, $0.accounts.quotas.entryCount] }
    }
    let request = server.draw(1)
    world.pass(50)
    #expect(request.response?.status == 200 && known() == [1, 1])
    world.pass(3_000)
    #expect(known() == [0, 0])
  }

  @Test("C4: time that nobody lets pass doesn't pass: a client without a hello is closed at its time, and not before")
  func withoutHello() throws {
    var world = World { $0.limits.helloMilliseconds = 500 }
    let connection = try #require(world.server.connect(.binary, to: "demo", from: "10.0.0.1"))
    world.pass(499)
    #expect(connection.closure == nil)
    world.pass(1)
    #expect(connection.closure?.code == CloseCode.noSignOfLife.rawValue)
  }
}
