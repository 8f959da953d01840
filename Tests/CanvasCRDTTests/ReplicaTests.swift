import Testing

@testable import CanvasCRDT

@Suite struct ReplicaTests {
  // MARK: - Edits

  @Test("an edit is shown at once, and confirmed when the server has answered")
  func optimistic() {
    var room = TestRoom()
    let ann = room.join()
    let shape = room.add(ann) { $0.rotation = 30 }
    #expect(room.hosts[ann].replica.canvas[shape]?.properties.rotation == 30)
    #expect(room.hosts[ann].replica.confirmedCanvas[shape] == nil)
    #expect(room.hosts[ann].replica.unsentCount == 1)
    room.settle()
    #expect(room.hosts[ann].replica.confirmedCanvas[shape]?.properties.rotation == 30)
    #expect(room.hosts[ann].replica.unsentCount == 0)
    #expect(room.hosts[ann].replica.optimistic.base.isEmpty)
  }

  @Test("the others see what one person draws, and who drew it")
  func others() {
    var room = TestRoom()
    let ann = room.join()
    let bob = room.join()
    let shape = room.add(ann)
    room.settle()
    #expect(room.hosts[bob].replica.canvas[shape] != nil)
    let origins = room.hosts[bob].effects.compactMap { effect -> ChangeOrigin? in
      if case .changed(_, let origin) = effect { return origin }
      return nil
    }
    #expect(origins == [.remote(room.hosts[ann].replica.actor)])
  }

  @Test("a deletion with a position reports where the shape went, for one's own edits and others'")
  func departure() throws {
    var room = TestRoom()
    let ann = room.join()
    let mine = room.add(ann)
    let theirs = room.add(ann)
    room.settle()
    var set = Properties()
    set.position = Point(x: 7, y: 9)
    set.delete()
    room.run(ann) { $0.edit([ShapeEdit(shape: mine, set: set)], at: $1) }
    let stamp = try #require(Stamp(milliseconds: TestHost.epoch + 99_000, counter: 0, actor: theirs))
    let delivery = Delivery(cursor: Cursor("later"), operations: [Operation(shape: theirs, at: stamp, set: set)])
    room.run(ann) { $0.received(BinaryEncoding.encode(.operations(delivery)), isText: false, at: $1) }
    #expect(room.hosts[ann].departures == [mine, theirs].map { ShapeEdit(shape: $0, set: set) })
    #expect(room.hosts[ann].replica.canvas.liveCount == 0)
  }

  @Test("a long drag without a connection is one operation, and its creation another")
  func offlineDrag() {
    var room = TestRoom()
    let ann = room.join()
    room.disconnect(ann)
    let shape = room.add(ann) { $0.position = Point(x: 0, y: 0) }
    for step in 1...1_000 { room.edit(ann, shape) { $0.position = Point(x: Double(step), y: 0) } }
    #expect(room.hosts[ann].replica.unsentCount == 2)
    room.settle(for: 60_000)
    #expect(room.server.canvas[shape]?.properties.position == Point(x: 1_000, y: 0))
    #expect(room.server.log.count == 2)
  }

  @Test("an edit that was sent is left as it is")
  func inFlightIsKept() {
    var room = TestRoom()
    let ann = room.join()
    let shape = room.add(ann)
    for step in 1...20 { room.edit(ann, shape) { $0.rotation = Double(step) } }
    // Four messages are on their way; what waits has become one operation.
    #expect(room.hosts[ann].replica.outbox.flights.count == Replica.messagesInFlightMax)
    #expect(room.hosts[ann].replica.unsentCount == Replica.messagesInFlightMax + 1)
    room.settle()
    #expect(room.server.log.map(\.set.rotation) == [0, 1, 2, 3, 20])
  }

  @Test("after a lost answer the same operations are sent again with the same stamps, and change nothing")
  func lostAnswer() {
    var room = TestRoom()
    let ann = room.join()
    let shape = room.add(ann)
    room.deliverToServer(ann)
    let canvas = room.server.canvas
    let stamp = room.server.log[0].at
    room.disconnect(ann)
    #expect(room.hosts[ann].replica.unsentCount == 1)
    room.settle(for: 60_000)
    #expect(room.hosts[ann].replica.unsentCount == 0)
    #expect(room.server.submissions.count == 2)
    #expect(room.server.submissions[1][0].at == stamp)
    #expect(room.server.canvas == canvas)
    #expect(room.hosts[ann].replica.canvas[shape] != nil)
  }

  @Test("edits made together stay in one message where the limits allow, and are split only where they must be")
  func messages() {
    var room = TestRoom()
    room.server.limits.operationsPerMessage = 4
    let ann = room.join()
    room.disconnect(ann)
    for count in [3, 2, 9, 1] {
      var edits: [ShapeEdit] = []
      for _ in 0..<count {
        var set = Properties()
        set.kind = .star
        edits.append(ShapeEdit(shape: .random(using: &room.server.random), set: set))
      }
      room.run(ann) { $0.edit(edits, at: $1) }
    }
    room.settle(for: 60_000)
    #expect(room.server.submissions.map(\.count) == [3, 2, 4, 4, 2])
  }

  @Test("a message is never longer than was estimated", arguments: WireEncoding.allCases)
  func messageBytes(encoding: WireEncoding) {
    var random = SeededGenerator(seed: 6)
    let limits = MessageLimits(RoomLimits(), encoding: encoding)
    for count in [1, 2, 50] {
      var operations: [ProposedOperation] = []
      var bound = limits.envelopeBytes
      for _ in 0..<count {
        var set = Properties()
        set.kind = .roundedRectangle
        set.name = Text(String(repeating: Bool.random(using: &random) ? "\"" : "\u{FEFF}", count: 40))
        set.position = Point(x: -.random(in: 1e6...1e7, using: &random), y: -.random(in: 0...1e-300, using: &random))
        set.size = Size(width: .random(in: 1...1e6, using: &random), height: .random(in: 1...2, using: &random))
        set.rotation = -.random(in: 0...1e-200, using: &random)
        set.innerRatio = .random(in: 0.05...1, using: &random)
        let actor = Identifier.random(using: &random)
        let stamp = Stamp(time: .random(in: 0...UInt64.max, using: &random), actor: actor)
        let operation = Operation(shape: .random(using: &random), at: stamp, set: set)
        bound += limits.bytesMax(of: operation)
        operations.append(ProposedOperation(operation))
      }
      let submission = Submission(id: MessageIdentifier(999_999_999), operations: operations)
      #expect(encoding.encode(.operations(submission)).count <= bound)
    }
  }

  @Test("no more operations per second are sent than the room allows, and the rest follow later")
  func rate() {
    var room = TestRoom()
    room.server.limits.operationsPerSecond = 10
    let ann = room.join()
    for _ in 0..<35 {
      _ = room.add(ann)
      room.settle()
    }
    #expect(room.server.log.count == 10)
    room.settle(for: 1_000)
    #expect((15...25).contains(room.server.log.count))
    room.settle(for: 3_000)
    #expect(room.server.log.count == 35)
  }

  @Test("a value that is not allowed is refused before it is shown")
  func badValue() {
    var room = TestRoom()
    let ann = room.join()
    let shape = room.add(ann)
    room.edit(ann, shape) { $0.alpha = 11 }
    #expect(room.hosts[ann].replica.canvas[shape]?.properties.alpha == 10)
    #expect(room.hosts[ann].rejected.map(\.code) == [.badValue])
  }

  @Test("a viewer can't edit")
  func readonly() {
    var room = TestRoom()
    var configuration = ReplicaConfiguration()
    configuration.readonly = true
    let ann = room.join(Replica(configuration: configuration, seed: 5))
    _ = room.add(ann)
    #expect(room.hosts[ann].replica.canvas.isEmpty)
    #expect(room.hosts[ann].rejected.map(\.code) == [.readOnly])
  }

  // MARK: - Refusals

  @Test("a refused operation is taken back, its neighbours are sent again without it, and there is nothing to undo")
  func rejection() {
    var room = TestRoom()
    let ann = room.join()
    let shapes = [room.add(ann), room.add(ann), room.add(ann)]
    room.settle()
    room.run(ann) { replica, now in
      var set = Properties()
      set.rotation = 10
      return replica.edit(shapes.map { ShapeEdit(shape: $0, set: set) }, at: now)
    }
    let refused = room.hosts[ann].replica.outbox.flights[0].pending[1].operation.at
    room.server.refused[refused] = .badValue
    room.settle()
    #expect(shapes.map { room.hosts[ann].replica.canvas[$0]?.properties.rotation } == [10, 0, 10])
    #expect(room.hosts[ann].rejected.map(\.operation.at) == [refused])
    #expect(room.hosts[ann].replica.canvas == room.server.canvas)
    room.run(ann) { $0.undo(at: $1) }
    #expect(shapes.map { room.hosts[ann].replica.canvas[$0]?.properties.rotation } == [0, 0, 0])
    #expect(room.hosts[ann].replica.unsentCount == 2)
  }

  @Test("when everything that one did was refused, there is nothing to undo")
  func nothingToUndo() {
    var room = TestRoom()
    let ann = room.join()
    room.server.role = .viewer
    _ = room.add(ann)
    #expect(room.hosts[ann].replica.canUndo)
    room.settle()
    #expect(room.hosts[ann].rejected.map(\.code) == [.readOnly])
    #expect(!room.hosts[ann].replica.canUndo)
    #expect(room.hosts[ann].replica.canvas.isEmpty)
  }

  @Test("when a creation is refused, waiting edits of the shape are dropped too")
  func refusedCreation() {
    var room = TestRoom()
    let ann = room.join()
    let shape = room.add(ann)
    room.server.refused[room.hosts[ann].replica.outbox.flights[0].pending[0].operation.at] = .roomFull
    for _ in 0..<Replica.messagesInFlightMax - 1 { _ = room.add(ann) }
    room.edit(ann, shape) { $0.rotation = 10 }
    room.settle()
    #expect(room.hosts[ann].replica.canvas[shape] == nil)
    #expect(room.hosts[ann].rejected.map(\.code) == [.roomFull, .roomFull])
    #expect(room.server.canvas.registers(of: shape).isEmpty)
    #expect(room.hosts[ann].replica.unsentCount == 0)
  }

  @Test("a temporary refusal keeps the edit, and it is tried again after a pause")
  func passing() {
    var room = TestRoom()
    let ann = room.join()
    room.server.faults.passingRejects = 1
    let shape = room.add(ann)
    room.settle()
    #expect(room.hosts[ann].replica.unsentCount == 1)
    #expect(room.hosts[ann].replica.canvas[shape] != nil)
    #expect(room.hosts[ann].wakeAt.map { $0 > room.time } == true)
    room.server.faults.passingRejects = 0
    room.settle(for: Backoff.millisecondsMax)
    #expect(room.hosts[ann].replica.unsentCount == 0)
    #expect(room.hosts[ann].rejected.isEmpty)
  }

  @Test("a message of too many operations is sent again in halves")
  func tooMany() {
    var room = TestRoom()
    let ann = room.join()
    room.disconnect(ann)
    for _ in 0..<10 { _ = room.add(ann) }
    room.run(ann) { $0.start(at: $1) }
    room.open(ann)
    room.deliverToServer(ann)
    // The server is stricter than its welcome said.
    room.server.limits.operationsPerMessage = 3
    room.settle(for: 1_000)
    #expect(room.server.submissions.map(\.count) == [10, 5, 5, 2, 2, 1, 2, 2, 1])
    #expect(room.hosts[ann].rejected.isEmpty)
    #expect(room.hosts[ann].replica.unsentCount == 0)
  }

  @Test("a writer whose value had lost learns to whom, by shape and property")
  func superseded() throws {
    var room = TestRoom()
    let ann = room.join()
    let bob = room.join()
    let shape = room.add(ann)
    room.settle()
    room.edit(ann, shape) { $0.rotation = 1 }
    room.time += 10
    room.edit(bob, shape) { $0.rotation = 2 }
    room.deliverToServer(bob)
    room.deliverToServer(ann)
    room.settle()
    #expect(room.hosts[ann].superseded.map(\.shape) == [shape])
    #expect(room.hosts[ann].superseded.map(\.property) == [.rotation])
    #expect(room.hosts[ann].superseded.map(\.by.actor) == [room.hosts[bob].replica.actor])
    #expect(room.hosts[ann].replica.canvas[shape]?.properties.rotation == 2)
    // Undo doesn't overwrite the value that won.
    room.run(ann) { $0.undo(at: $1) }
    #expect(room.hosts[ann].replica.canvas[shape]?.properties.rotation == 2)
  }

  // MARK: - Coming back

  @Test("a state that was cut off in the middle doesn't count: the cursor stays, and all of it comes again")
  func cutState() {
    var room = TestRoom()
    let ann = room.join()
    let bob = room.join()
    room.disconnect(ann)
    let cursor = room.hosts[ann].replica.cursor
    for _ in 0..<20 { _ = room.add(bob) }
    room.settle()
    room.hosts[ann].wantsConnection = false
    room.run(ann) { $0.start(at: $1) }
    room.open(ann)
    room.deliverToServer(ann)
    for _ in 0..<3 { room.deliverOne(to: ann) }
    #expect(room.hosts[ann].replica.state == .loading)
    #expect(room.hosts[ann].replica.cursor == cursor)
    room.disconnect(ann)
    #expect(room.hosts[ann].replica.cursor == cursor)
    room.settle(for: 60_000)
    #expect(room.hosts[ann].replica.canvas == room.server.canvas)
  }

  @Test("a complete reset replaces what was confirmed, and keeps what is not answered yet")
  func reset() {
    var room = TestRoom()
    let ann = room.join()
    let old = room.add(ann)
    room.settle()
    room.disconnect(ann)
    let mine = room.add(ann)
    room.server = MiniServer(seed: 9)
    for _ in 0..<8 {
      var set = Properties()
      set.kind = .star
      let stamp = Stamp(milliseconds: TestHost.epoch, counter: 0, actor: Identifier("bob-bob-bob")!)!
      let operation = Operation(shape: .random(using: &room.server.random), at: stamp, set: set)
      room.server.log.append(operation)
      room.server.canvas.apply(operation, place: UInt64(room.server.log.count))
    }
    room.server.epoch = 7
    room.run(ann) { $0.start(at: $1) }
    room.open(ann)
    room.deliverToServer(ann)
    for _ in 0..<2 { room.deliverOne(to: ann) }
    #expect(room.hosts[ann].replica.canvas[old] != nil)
    room.settle()
    #expect(room.hosts[ann].replica.canvas[old] == nil)
    #expect(room.hosts[ann].replica.canvas[mine] != nil)
    #expect(room.hosts[ann].replica.canvas.liveCount == 9)
    #expect(room.hosts[ann].replica.canvas == room.server.canvas)
  }

  @Test("the pauses between tries grow to a limit, and start over after a connection that lasted")
  func pauses() {
    var host = TestHost(Replica(seed: 3))
    var time: UInt64 = 0
    var pauses: [UInt64] = []
    host.run(at: time) { $0.start(at: $1) }
    for _ in 0..<40 {
      host.run(at: time) { $0.disconnected(closeCode: 1_001, at: $1) }
      guard case .waiting(let until) = host.replica.state else {
        Issue.record("not waiting")
        return
      }
      #expect(host.wakeAt == until)
      pauses.append(until - time)
      time = until
      host.run(at: time) { $0.wake(at: $1) }
      #expect(host.replica.state == .connecting)
    }
    #expect(pauses[0] <= Backoff.firstMilliseconds)
    #expect(pauses.allSatisfy { $0 >= Backoff.millisecondsMin && $0 <= Backoff.millisecondsMax })
    #expect(pauses.suffix(30).max()! > 10_000)
    #expect(Set(pauses.suffix(30)).count > 20)

  }

  @Test("a connection that lasted is tried again soon when it is lost")
  func stable() {
    var room = TestRoom()
    let ann = room.join()
    for _ in 0..<10 {
      room.disconnect(ann)
      room.settle(for: 20_000)
    }
    #expect(room.hosts[ann].replica.state == .live)
    #expect(room.hosts[ann].replica.connection.failedTries <= 1)
  }

  @Test(
    "X1: 4400 to 4404 are final, everything else is tried again",
    arguments: CloseCode.allCases.map(\.rawValue) + [4_402, 4_405, 4_500]
  )
  func closeCodes(code: UInt16) {
    var room = TestRoom()
    let ann = room.join()
    room.disconnect(ann, code: code)
    if code <= 4_404, code >= 4_400 {
      #expect(room.hosts[ann].replica.state == .closed(code: code))
      #expect(room.hosts[ann].replica.wakeAt == nil)
    } else {
      room.settle(for: 1_000)
      #expect(room.hosts[ann].replica.state == .live)
    }
  }

  @Test("a client leaves a server that never sends a welcome")
  func noWelcome() {
    var host = TestHost(Replica(seed: 3))
    host.run(at: 0) { $0.start(at: $1) }
    host.run(at: 100) { $0.connected(at: $1) }
    #expect(host.replica.wakeAt == 100 + ClientConnection.welcomeMillisecondsMax)
    host.run(at: 100 + ClientConnection.welcomeMillisecondsMax) { $0.wake(at: $1) }
    guard case .waiting = host.replica.state else {
      Issue.record("still there")
      return
    }
  }

  @Test("malformed bytes end the connection, unknown messages don't")
  func nonsense() {
    var room = TestRoom()
    let ann = room.join()
    room.run(ann) { $0.received([0x7F], isText: false, at: $1) }
    #expect(room.hosts[ann].replica.state == .live)
    for bytes: [UInt8] in [[0x42, 0xFF], [], [0x41]] {
      room.run(ann) { $0.received(bytes, isText: false, at: $1) }
      #expect(!room.hosts[ann].replica.state.isJoined)
      room.settle(for: 20_000)
      #expect(room.hosts[ann].replica.state == .live)
    }
    #expect(room.hosts[ann].failures.count == 4)
  }

  // MARK: - Clocks and names

  @Test("stamps follow the server's clock, however wrong the host's is", arguments: [-7_200_000, 0, 7_200_000])
  func wrongClock(error: Int64) {
    var room = TestRoom()
    let ann = room.join(wallError: error)
    room.time += 500
    _ = room.add(ann)
    room.settle()
    #expect(room.server.log[0].at.milliseconds == TestHost.epoch + room.time)
  }

  @Test("stamps from a wrong clock, given before the server told the time, are corrected to when they were given")
  func drawnBeforeTheFirstWelcome() {
    var room = TestRoom()
    room.hosts.append(TestHost(Replica(seed: 4), session: 0, wallError: 3_600_000))
    let shape = room.add(0)
    let drawnAt = room.time
    room.time += 5_000
    room.edit(0, shape) { $0.rotation = 3 }
    room.run(0) { $0.start(at: $1) }
    room.settle()
    #expect(room.server.log.map(\.at.milliseconds) == [TestHost.epoch + drawnAt, TestHost.epoch + drawnAt + 5_000])
    #expect(room.hosts[0].rejected.isEmpty)
    room.run(0) { $0.undo(at: $1) }
    #expect(room.hosts[0].replica.canvas[shape]?.properties.rotation == 0)
  }

  @Test("a clock put forward during the session costs a reconnect and no edit")
  func jumpingClock() {
    var room = TestRoom()
    let ann = room.join()
    room.hosts[ann].wallError = 3_600_000
    let shape = room.add(ann)
    room.settle(for: 20_000)
    #expect(room.server.refusals[.clockAhead] == 1)
    #expect(room.server.canvas[shape] != nil)
    #expect(room.hosts[ann].rejected.isEmpty)
  }

  @Test("under a new actor, waiting edits get new stamps in their order, and can still be undone")
  func newActor() {
    var room = TestRoom()
    let ann = room.join()
    let old = room.hosts[ann].replica.actor
    room.disconnect(ann, code: CloseCode.actorElsewhere.rawValue)
    let shape = room.add(ann)
    room.edit(ann, shape) { $0.rotation = 3 }
    room.settle(for: 20_000)
    let new = room.hosts[ann].replica.actor
    #expect(new != old)
    #expect(room.server.log.allSatisfy { $0.at.actor == new })
    #expect(room.server.canvas[shape]?.properties.rotation == 3)
    room.run(ann) { $0.undo(at: $1) }
    room.run(ann) { $0.undo(at: $1) }
    #expect(room.hosts[ann].replica.canvas[shape] == nil)
  }

  // MARK: - The rest

  @Test("the digest reveals a difference, and loading the state again heals it")
  func digest() {
    var room = TestRoom()
    let ann = room.join()
    let shape = room.add(ann)
    room.settle()
    room.run(ann) { $0.askDigest(at: $1) }
    room.settle()
    #expect(room.hosts[ann].verdicts == [.agrees])
    room.hosts[ann].replica.optimistic.shown.forget(shape)
    room.hosts[ann].repaint()
    room.run(ann) { $0.askDigest(at: $1) }
    room.settle(for: 20_000)
    #expect(room.hosts[ann].verdicts == [.agrees, .disagrees])
    #expect(room.hosts[ann].replica.canvas == room.server.canvas)
    #expect(room.hosts[ann].replica.state == .live)
  }

  @Test("an edit that the server has accepted but not sent back yet is not a difference")
  func digestBeforeTheEcho() {
    var room = TestRoom()
    let ann = room.join()
    _ = room.add(ann)
    room.settle()
    room.run(ann) { $0.askDigest(at: $1) }
    let answer = ServerMessage.digest(cursor: room.server.cursor(1), hash: room.server.canvas.digest)
    _ = room.add(ann)
    room.hosts[ann].toServer.removeFirst()
    room.deliverToServer(ann)
    // First comes the answer to the edit, then that to the digest, and only then the edit itself.
    room.server.sessions[ann]?.mail.removeAll { $0[0] != 0x44 }
    room.server.mail(answer, to: ann)
    while room.deliverOne(to: ann) {}
    #expect(room.hosts[ann].replica.unsentCount == 0)
    #expect(room.hosts[ann].verdicts.isEmpty)
    room.server.sessions[ann]?.place = 1
    room.settle(for: 1_000)
    #expect(room.hosts[ann].verdicts == [.agrees])
  }

  @Test("presence is sent at limited intervals, always the newest, and again after a reconnect")
  func presence() {
    var room = TestRoom()
    let ann = room.join()
    func sent() -> Int { room.hosts[ann].toServer.count { $0[0] == 3 } }
    for _ in 0..<10 { room.run(ann) { $0.setPresence(.emptyObject, at: $1) } }
    #expect(sent() == 1)
    #expect(room.hosts[ann].wakeAt == room.time + PresenceSender.millisecondsMin)
    room.time += PresenceSender.millisecondsMin
    room.run(ann) { $0.wake(at: $1) }
    #expect(sent() == 2)
    room.disconnect(ann)
    room.run(ann) { $0.start(at: $1) }
    room.open(ann)
    room.deliverToServer(ann)
    room.deliverOne(to: ann)
    #expect(sent() == 1)
  }

  @Test("a new name goes out in a new hello, and the session goes on")
  func introducing() throws {
    var room = TestRoom()
    let ann = room.join()
    let shape = room.add(ann)
    room.settle()
    let cursor = room.hosts[ann].replica.cursor
    let resets = room.hosts[ann].resets
    room.run(ann) { $0.introduce(name: "Anna", color: Color(red: 1, green: 2, blue: 3), at: $1) }
    room.edit(ann, shape) { $0.rotation = 30 }
    var replica = room.hosts[ann].replica
    let now = Moment(wallMilliseconds: 0, monotonicMilliseconds: room.time)
    var hello: Hello?
    for case .send(let bytes) in replica.connected(at: now) {
      if case .hello(let said) = try room.server.decode(bytes) { hello = said }
    }
    #expect(hello?.name == "Anna")
    #expect(hello?.color == Color(red: 1, green: 2, blue: 3))
    #expect(hello?.actor == replica.actor)
    #expect(hello?.since == cursor)
    room.settle()
    #expect(room.hosts[ann].replica.state == .live)
    #expect(room.hosts[ann].replica.canUndo)
    #expect(room.hosts[ann].resets == resets)
    #expect(room.server.canvas[shape]?.properties.rotation == 30)
    let again = room.hosts[ann].replica.introduce(name: "Anna", color: Color(red: 1, green: 2, blue: 3), at: now)
    #expect(again.isEmpty)
  }

  @Test("peers come and go, and are listed")
  func peers() {
    var room = TestRoom()
    let ann = room.join()
    let bob = Peer(actor: Identifier("bob-bob-bob")!, name: "Bob", color: Color(packed: 1))
    room.server.mail(.join(bob), to: ann)
    room.server.mail(.presence([PeerState(actor: bob.actor, state: .emptyObject)]), to: ann)
    room.settle()
    #expect(room.hosts[ann].replica.peer(bob.actor)?.name == "Bob")
    #expect(room.hosts[ann].replica.peer(bob.actor)?.state == .emptyObject)
    room.server.mail(.leave(bob.actor), to: ann)
    room.settle()
    #expect(room.hosts[ann].replica.peers.isEmpty)
  }
}
