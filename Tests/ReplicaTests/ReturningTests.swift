import Testing

@testable import CanvasCRDT
@testable import ServerModel
@testable import SyncServer

@Suite("Losing the connection and coming back")
struct ReturningTests {
  @Test("a state that was cut off in the middle doesn't count: the cursor stays, and all of it comes again")
  func cutState() {
    // With this limit on message size, the state is sent three shapes at a time.
    var (room, ann, bob) = TestRoom.withAnnAndBob { $0.messageBytes = 3 * 896 }
    room.disconnect(ann)
    let cursor = room.hosts[ann].replica.cursor
    for _ in 0..<20 { _ = room.add(bob) }
    room.settle()
    room.hosts[ann].wantsConnection = false
    room.greet(ann)
    for _ in 0..<3 { room.deliverOne(to: ann) }
    #expect(room.hosts[ann].replica.state == .loading)
    #expect(room.hosts[ann].replica.canvas.liveCount == 6)
    #expect(room.hosts[ann].replica.cursor == cursor)
    room.disconnect(ann)
    #expect(room.hosts[ann].replica.cursor == cursor)
    room.settle(for: 60_000)
    #expect(room.hosts[ann].replica.canvas == room.canvas)
  }

  @Test("a part with more to follow moves no cursor, whatever cursor it bears")
  func partsMoveNoCursor() {
    var (room, ann) = TestRoom.withAnn()
    let cursor = room.hosts[ann].replica.cursor
    room.hand(.operations(Delivery(cursor: Cursor("later"), operations: [], more: true)), to: ann)
    #expect(room.hosts[ann].replica.cursor == cursor)
    room.hand(.operations(Delivery(cursor: Cursor("later"), operations: [])), to: ann)
    #expect(room.hosts[ann].replica.cursor == Cursor("later"))
  }

  @Test("operations that come again change nothing")
  func repeats() {
    var (room, ann, bob) = TestRoom.withAnnAndBob()
    let shape = room.add(ann)
    room.edit(ann, shape) { $0.rotation = 3 }
    _ = room.add(bob)
    room.run(ann) { $0.delete([shape], at: $1) }
    room.settle()
    let effects = room.hosts[bob].effects.count
    room.hand(.operations(Delivery(cursor: room.cursor, operations: room.log)), to: bob)
    #expect(room.hosts[bob].effects.count == effects)
    #expect(room.hosts[bob].replica.canvas == room.canvas)
  }

  @Test("a complete reset replaces what was confirmed, and keeps what is not answered yet")
  func reset() {
    // With this limit on message size, the state is sent three shapes at a time.
    var (room, ann) = TestRoom.withAnn { $0.messageBytes = 3 * 896 }
    let old = room.add(ann)
    room.settle()
    room.disconnect(ann)
    let mine = room.add(ann)
    let bob = Identifier("bob-bob-bob")!
    var random = SeededGenerator(seed: 9)
    room.replaceRoom(
      by: bob,
      (0..<8).map { _ in
        return ProposedOperation(shape: .random(using: &random), at: nil, set: .star)
      }
    )
    room.greet(ann)
    for _ in 0..<2 { room.deliverOne(to: ann) }
    #expect(room.hosts[ann].replica.state == .loading)
    #expect(room.hosts[ann].replica.canvas[old] != nil)
    room.settle()
    #expect(room.hosts[ann].replica.canvas[old] == nil)
    #expect(room.hosts[ann].replica.canvas[mine] != nil)
    #expect(room.hosts[ann].replica.canvas.liveCount == 9)
    #expect(room.hosts[ann].replica.canvas == room.canvas)
  }

  @Test("the pauses between tries grow to a limit, and start over after a connection that lasted")
  func pauses() throws {
    let pauses = try pausesOfTries(closeCode: 1_001)
    #expect(pauses[0] <= Backoff.firstMilliseconds)
    #expect(pauses.allSatisfy { $0 >= Backoff.millisecondsMin && $0 <= Backoff.millisecondsMax })
    #expect(pauses.suffix(30).max()! > 10_000)
    #expect(Set(pauses.suffix(30)).count > 20)
  }

  @Test("a host can have shorter pauses, still random, but not from a server that has too many")
  func shortPauses() throws {
    let configuration = ReplicaConfiguration { $0.pauseMillisecondsMax = 2_500 }
    let short = try pausesOfTries(closeCode: 1_001, configuration)
    #expect(short.allSatisfy { $0 >= Backoff.millisecondsMin && $0 <= 2_500 })
    #expect(Set(short.suffix(30)).count > 20)
    #expect(try pausesOfTries(closeCode: CloseCode.tooMany.rawValue, configuration).suffix(30).max()! > 10_000)
  }

  private func pausesOfTries(closeCode: UInt16, _ configuration: ReplicaConfiguration = .init()) throws -> [UInt64] {
    var host = TestHost(Replica(configuration: configuration, seed: 3))
    var time: UInt64 = 0
    var pauses: [UInt64] = []
    host.run(at: time) { $0.start(at: $1) }
    for _ in 0..<40 {
      host.run(at: time) { $0.disconnected(closeCode: closeCode, at: $1) }
      guard case .waiting(let until) = host.replica.state else { throw NotWaiting() }
      #expect(host.wakeAt == until)
      pauses.append(until - time)
      time = until
      host.run(at: time) { $0.wake(at: $1) }
      #expect(host.replica.state == .connecting)
    }
    return pauses
  }

  private struct NotWaiting: Error {}

  @Test(
    "X1: 4400 to 4404 are final, everything else is tried again",
    arguments: CloseCode.allCases.map(\.rawValue) + [4_402, 4_405, 4_500]
  )
  func closeCodes(code: UInt16) {
    var (room, ann) = TestRoom.withAnn()
    room.disconnect(ann, code: code)
    if code <= 4_404, code >= 4_400 {
      #expect(room.hosts[ann].replica.state == .closed(code: code))
      #expect(room.hosts[ann].replica.wakeAt == nil)
    } else {
      room.settle(for: 1_000)
      #expect(room.hosts[ann].replica.state == .live)
    }
  }

  @Test("each state of a connection is told once")
  func states() {
    var (room, ann) = TestRoom.withAnn()
    room.run(ann) { $0.start(at: $1) }
    room.disconnect(ann)
    let waiting = room.hosts[ann].replica.state
    room.run(ann) { $0.stop(at: $1) }
    room.run(ann) { $0.stop(at: $1) }
    let states = room.hosts[ann].effects.compactMap { if case .state(let state) = $0 { state } else { nil } }
    #expect(states == [.connecting, .greeting, .loading, .live, waiting, .offline])
  }

  @Test("a client leaves a server that never sends a welcome")
  func noWelcome() {
    var host = TestHost(Replica(seed: 3))
    host.run(at: 0) { $0.start(at: $1) }
    host.isOpen = true
    host.run(at: 100) { $0.connected(at: $1) }
    #expect(host.replica.wakeAt == 100 + ClientConnection.welcomeMillisecondsMax)
    host.run(at: 100 + ClientConnection.welcomeMillisecondsMax) { $0.wake(at: $1) }
    #expect(!host.isOpen)
    guard case .waiting = host.replica.state else {
      Issue.record("still there")
      return
    }
  }

  @Test("malformed bytes end the connection, unknown messages don't")
  func nonsense() {
    var (room, ann) = TestRoom.withAnn()
    room.run(ann) { $0.received([0x7F], isText: false, at: $1) }
    #expect(room.hosts[ann].replica.state == .live)
    let pong = BinaryEncoding.encode(ServerMessage.pong(id: nil, milliseconds: TestHost.epoch))
    room.run(ann) { $0.received(pong, isText: false, at: $1) }
    #expect(room.hosts[ann].replica.state == .live)
    for (bytes, isText) in [([0x42, 0xFF], false), ([], false), ([0x41], false), (pong, true)] as [([UInt8], Bool)] {
      room.run(ann) { $0.received(bytes, isText: isText, at: $1) }
      #expect(!room.hosts[ann].replica.state.isJoined && !room.hosts[ann].isOpen)
      room.settle(for: 20_000)
      #expect(room.hosts[ann].replica.state == .live)
    }
    #expect(room.hosts[ann].failures.count == 5)
    // So does whoever leaves.
    room.run(ann) { $0.stop(at: $1) }
    #expect(room.hosts[ann].replica.state == .offline && !room.hosts[ann].isOpen)
  }

  @Test(
    "a message before the welcome and a second welcome end the connection, and nothing counts that comes after its end"
  )
  func outOfTurn() {
    var (room, ann, shape) = TestRoom.withShape()
    let cursor = room.hosts[ann].replica.cursor
    let welcome = Welcome(
      room: "demo",
      actor: room.hosts[ann].replica.actor,
      role: .viewer,
      milliseconds: TestHost.epoch,
      limits: RoomLimits(),
      peers: []
    )
    let later = Delivery(
      cursor: Cursor("later"),
      operations: [Operation(shape: shape, at: Stamp(time: .max, actor: shape), set: .deletion)]
    )
    room.hand(.welcome(welcome), to: ann)
    #expect(room.hosts[ann].failures == [.badField("a second welcome")] && room.hosts[ann].replica.role == .editor)
    func nothingCounts() {
      let told = room.hosts[ann].effects.count
      room.hand(.operations(later), to: ann)
      room.hand(.welcome(welcome), to: ann)
      room.run(ann) { $0.connected(at: $1) }
      room.run(ann) { $0.disconnected(closeCode: CloseCode.forbidden.rawValue, at: $1) }
      #expect(room.hosts[ann].effects.count == told && room.hosts[ann].replica.cursor == cursor)
      #expect(room.hosts[ann].replica.canvas.contains(shape))
    }
    nothingCounts()
    room.greet(ann)
    room.hand(.error(code: "unknown_type", message: "no such thing"), to: ann)
    #expect(room.hosts[ann].replica.state == .greeting, "the server may complain before its welcome")
    room.hand(.operations(later), to: ann)
    #expect(room.hosts[ann].failures.last == .badField("a message before welcome"))
    nothingCounts()
    room.run(ann) { $0.stop(at: $1) }
    nothingCounts()
    #expect(room.hosts[ann].replica.state == .offline)
    let errors = room.hosts[ann].effects.compactMap { if case .error(let code, _) = $0 { code } else { nil } }
    #expect(errors == ["unknown_type"])
  }

  @Test("an edit that is acknowledged while the whole state is coming stays on the screen")
  func acknowledgedWhileLoading() throws {
    var (room, ann) = TestRoom.withAnn()
    let standing = room.add(ann)
    room.settle()
    let part = room.canvas.stateParts()[0]
    let shape = room.add(ann)
    let sent = try room.hosts[ann].interceptSubmissions()
    room.hand(.operations(Delivery(cursor: room.cursor, content: .state(part), more: true, reset: true)), to: ann)
    room.hand(.acknowledgement(Acknowledgement(id: sent[0].id, cursor: room.cursor)), to: ann)
    room.hand(.operations(Delivery(cursor: room.cursor, operations: [])), to: ann)
    #expect(Set(room.hosts[ann].replica.canvas.shapes.map(\.id)) == [standing, shape])
  }

  @Test("over a slow line a new client sees the drawing grow, never shrink, and then has all of it")
  func grows() {
    var (room, ann) = TestRoom.withAnn()
    for _ in 0..<3 { _ = room.add(ann) }
    room.settle()
    let operations = room.canvas.stateParts()[0].operations
    var bob = TestHost(Replica(seed: 5))
    func greet(at time: UInt64) {
      bob.run(at: time) { $0.start(at: $1) }
      bob.run(at: time) { $0.connected(at: $1) }
      let actor = Identifier("bob-bob-bob")!
      let welcome = Welcome(
        room: "demo",
        actor: actor,
        role: .editor,
        milliseconds: TestHost.epoch + time,
        limits: RoomLimits(),
        peers: []
      )
      bob.hear(.welcome(welcome), at: time)
    }
    /// Delivers one shape of the state, and returns how many shapes are visible then.
    func shown(after index: Int, at time: UInt64) -> Int {
      let more = index + 1 < operations.count
      let one = Delivery(cursor: room.cursor, operations: [operations[index]], more: more, reset: index == 0)
      bob.hear(.operations(one), at: time)
      return bob.replica.canvas.liveCount
    }
    greet(at: 0)
    #expect(shown(after: 0, at: 10) == 0)
    #expect(shown(after: 1, at: 300) == 2)
    // The connection is lost, so the state is sent again from the start.
    bob.run(at: 400) { $0.disconnected(closeCode: nil, at: $1) }
    greet(at: 1_000)
    #expect(shown(after: 0, at: 1_010) == 2)
    #expect(shown(after: 1, at: 1_300) == 2)
    #expect(bob.replica.state == .loading && bob.replica.cursor == nil)
    #expect(shown(after: 2, at: 1_310) == 3)
    #expect(bob.replica.state == .live && bob.replica.canvas == room.canvas)
  }

  @Test("a connection that is lost in the middle of a reset leaves the drawing as it was")
  func lostInAReset() {
    var (room, ann) = TestRoom.withAnn()
    for _ in 0..<3 { _ = room.add(ann) }
    room.settle()
    let resets = room.hosts[ann].resets
    room.hand(.operations(Delivery(cursor: room.cursor, content: .operations([]), more: true, reset: true)), to: ann)
    room.disconnect(ann)
    room.settle(for: 20_000)
    #expect(room.hosts[ann].replica.state == .live)
    #expect(room.hosts[ann].replica.canvas == room.canvas)
    #expect(room.hosts[ann].resets == resets)
  }

  @Test("C10: of clients whose token names their actor the newest stays, and the others rest until they are started")
  func namedActor() {
    var room = TestRoom()
    room.server.tokenActor = Identifier(packed: 4_711)!
    let hosts = [room.join(seed: 7), room.join(seed: 8), room.join(seed: 9)]
    room.settle(for: 120_000)
    var live = hosts[2]
    for resting in [0, 1, 2, 1].map({ hosts[$0] }) {
      let rests = ReplicaState.closed(code: CloseCode.actorElsewhere.rawValue)
      for host in hosts { #expect(room.hosts[host].replica.state == (host == live ? .live : rests)) }
      let shape = room.add(resting)
      room.settle(for: 600_000)
      #expect(room.hosts[resting].replica.state == rests && room.hosts[live].replica.canvas[shape] == nil)
      // The person comes back to the client that rests.
      room.run(resting) { $0.start(at: $1) }
      room.settle(for: 120_000)
      #expect(room.canvas[shape] != nil)
      live = resting
    }
  }
}
