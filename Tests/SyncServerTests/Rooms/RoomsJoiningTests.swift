import CanvasCRDT
import Testing

@testable import ServerModel
@testable import SyncServer

@Suite("Joining, resuming and leaving")
struct RoomsJoiningTests {
  @Test(
    "C6, D2: welcome, then the state, the first of it a reset; an empty room sends one without operations",
    arguments: WireEncoding.allCases
  )
  func emptyRoom(encoding: WireEncoding) throws {
    var bench = RoomBench()
    let client = bench.join(encoding) { $0.name = "Ann" }
    let messages = bench.clients[client].messages
    try #require(messages.count == 2)
    guard case .welcome(let welcome) = messages[0] else { throw NotWelcomed() }
    let delivery = try #require(messages[1].delivery)
    #expect(welcome.room == "demo")
    #expect(welcome.role == .editor)
    #expect(welcome.milliseconds == RoomBench.epoch)
    #expect(welcome.limits == bench.limits.roomLimits)
    #expect(welcome.peers == [])
    #expect(delivery.reset && !delivery.more)
    bench.expectCaughtUp(client)
  }

  private struct NotWelcomed: Error {}

  @Test(
    "D1: a large state comes in messages within the bound, more on all but the last",
    arguments: WireEncoding.allCases
  )
  func parts(encoding: WireEncoding) {
    var (bench, writer) = RoomBench.withWriter { $0.messageBytes = 16_384 }
    for number in 0..<300 {
      bench.write(writer, bench.shape(UInt64(number))) {
        $0.kind = .star
        $0.name = Text(String(repeating: "n", count: 100) + "\(number)")
      }
      if number % 3 == 0 { bench.write(writer, bench.shape(UInt64(number))) { $0.delete() } }
    }
    bench.settle()
    let client = bench.join(encoding)
    let deliveries = bench.deliveries(client)
    #expect(deliveries.count > 5)
    #expect(deliveries.map { $0.more } == deliveries.indices.map { $0 < deliveries.count - 1 })
    #expect(deliveries.map { $0.reset } == deliveries.indices.map { $0 == 0 })
    #expect(bench.clients[client].messageBytesMax <= 16_384)
    bench.expectCaughtUp(client)
  }

  @Test(
    "D9: a client that got only a part of a state comes back with that part's cursor, and misses nothing",
    arguments: WireEncoding.allCases,
    [false, true]
  )
  func cutOffInState(encoding: WireEncoding, isDifference: Bool) {
    var (bench, writer) = RoomBench.withWriter { $0.messageBytes = 16_384 }
    bench.settle(writer, 1_000) { $0.kind = .star }
    let early = bench.join(encoding)
    bench.leave(early)
    bench.makeStars(writer, 0...299)
    var reader = isDifference ? early : bench.connect(encoding)
    // Each connection ends after its first message with operations. The client keeps what it has received.
    for _ in 0..<3 {
      let kept = bench.clients[reader]
      let back = bench.join(encoding, takes: 0, with: kept.canvas) { $0.since = kept.newestCursor }
      bench.clients[back].takes = 64
      for _ in 0..<20_000 where bench.clients[back].newestCursor == nil { bench.wake(back) }
      #expect(bench.clients[back].cursor == nil, "it was told that more comes")
      bench.leave(back)
      reader = back
    }
    let kept = bench.clients[reader]
    let whole = bench.join(encoding, with: kept.canvas) { $0.since = kept.newestCursor }
    bench.expectCaughtUp(whole)
  }

  @Test(
    "D9: the halves of a beat that is too long have the cursor before it, but for the last",
    arguments: WireEncoding.allCases
  )
  func cutOffInBeat(encoding: WireEncoding) {
    var (bench, writer) = RoomBench.withWriter { $0.messageBytes = 16_384 }
    bench.write(writer, bench.shape(1_000)) { $0.kind = .star }
    let reader = bench.join(encoding)
    let before = bench.clients[reader].cursor
    let seen = bench.clients[reader].messages.count
    for number in 0..<300 {
      bench.write(writer, bench.shape(UInt64(number))) { $0.name = Text(String(repeating: "n", count: 100)) }
    }
    bench.settle()
    let deliveries = bench.clients[reader].messages[seen...].compactMap(\.delivery)
    #expect(deliveries.count > 2)
    #expect(deliveries.map { $0.more } == deliveries.indices.map { $0 < deliveries.count - 1 })
    #expect(deliveries.allSatisfy { $0.cursor == ($0.more ? before : bench.room.cursor) })
  }

  @Test("C5: a client without an actor gets one, with a key", arguments: WireEncoding.allCases)
  func actors(encoding: WireEncoding) {
    var bench = RoomBench()
    let known = bench.join(encoding) { $0.key = "" }
    let new = bench.join(encoding) { $0.key = "" }
    #expect(bench.actor(new) != bench.actor(known))
    #expect(bench.key(known) != nil && bench.key(known) != bench.key(new))
  }

  @Test("C9, closing 4409: the same actor elsewhere, with its key, ends the older connection; others see it come anew")
  func elsewhere() {
    var bench = RoomBench()
    let watcher = bench.join()
    let older = bench.join { $0.key = "" }
    let actor = bench.actor(older)
    let newer = bench.again(older) { $0.name = "again" }
    #expect(bench.clients[older].closed == .actorElsewhere)
    #expect(bench.clients[newer].closed == nil && bench.actor(newer) == actor)
    #expect(bench.room.memberCount == 2)
    #expect(bench.clients[watcher].peers[actor]?.name == "again")
    bench.settle(newer, 1) { $0.kind = .star }
    bench.expectCaughtUp(watcher)
    bench.expectCaughtUp(newer)
  }

  @Test("C9: a client that names an actor without its key gets another, and ends nobody's connection")
  func forgedActors() {
    var bench = RoomBench()
    let ann = bench.join { $0.key = "" }
    let bob = bench.join { $0.key = "" }
    let keys: [Text?] = [nil, "", "AAAAAAAAAAAAAAAAAAAAAA", bench.key(bob)]
    for isHere in [true, false] {
      if !isHere { bench.leave(ann) }
      for key in keys {
        let actor = bench.actor(ann)
        let forger = bench.join { ($0.actor, $0.key) = (actor, key) }
        #expect(bench.actor(forger) != actor, "\(isHere) \(key?.string ?? "none")")
        bench.leave(forger)
      }
    }
    #expect(bench.clients[ann].closed == nil)
    let back = bench.again(ann)
    #expect(bench.actor(back) == bench.actor(ann))
  }

  @Test("C9: a viewer ends no editor's connection, not even with the key; an editor ends a viewer's")
  func viewers() {
    var bench = RoomBench()
    let editor = bench.join { $0.key = "" }
    let viewer = bench.again(editor) { $0.readonly = true }
    #expect(bench.clients[editor].closed == nil && bench.actor(viewer) != bench.actor(editor))
    let back = bench.again(viewer)
    #expect(bench.clients[viewer].closed == .actorElsewhere && bench.actor(back) == bench.actor(viewer))
  }

  @Test("C9: a client that knows of no keys goes on as an actor of its own choice while nobody else is that actor")
  func keyless() {
    var bench = RoomBench()
    let own = Identifier("k3j-9x2-m1p")
    let first = bench.join { $0.actor = own }
    let second = bench.join { $0.actor = own }
    #expect(bench.actor(first) == own && bench.actor(second) != own)
    #expect(bench.clients[first].closed == nil && bench.key(first) == nil)
    bench.leave(first)
    let back = bench.join { $0.actor = own }
    #expect(bench.actor(back) == own)
    // A client that asks for a key gets an actor that no other client can claim.
    bench.leave(back)
    let modern = bench.join { ($0.actor, $0.key) = (own, "") }
    #expect(bench.actor(modern) != own && bench.key(modern) != nil)
  }

  @Test(
    "C5, D5: since is honoured: the newest of what changed, erasures too, without a reset",
    arguments: WireEncoding.allCases
  )
  func resume(encoding: WireEncoding) {
    var (bench, writer) = RoomBench.withWriter()
    for number in 1...50 { bench.write(writer, bench.shape(UInt64(number))) { $0.kind = .star } }
    let client = bench.join(encoding)
    let since = bench.clients[client].cursor
    let canvas = bench.clients[client].canvas
    bench.leave(client)
    for alpha in 1...9 { bench.write(writer, bench.shape(3)) { $0.alpha = Int16(alpha) } }
    bench.settle(writer, 4) { $0.delete() }

    let again = bench.join(encoding, with: canvas) { $0.since = since }
    bench.expectCaughtUp(again)
    #expect(bench.deliveries(again).allSatisfy { !$0.reset })
    // The client gets only two operations: the newest alpha of one shape, and one erasure.
    #expect(bench.deliveries(again).flatMap(\.operations).count == 2)
  }

  @Test("D5: of a shape that changed, what was not written since does not come again", arguments: [true, false])
  func resumeOfRegisters(isKnown: Bool) {
    var (bench, writer) = RoomBench.withWriter()
    bench.settle(writer, 1) { ($0.kind, $0.alpha, $0.rotation) = (.star, 3, 30) }
    let away = bench.join()
    let since = bench.clients[away].cursor
    let canvas = bench.clients[away].canvas
    bench.leave(away)
    bench.write(writer, bench.shape(1)) { $0.rotation = 60 }
    bench.settle(writer, 1) { $0.position = Point(x: 1, y: 2) }
    // A server that restarted after the change knows that the shape changed, but not which of its registers.
    if !isKnown { bench.restart(with: RoomBench.room(bench.limits, image: bench.room.image())) }

    let again = bench.join(with: canvas) { $0.since = since }
    bench.expectCaughtUp(again)
    var written: PropertyMask = []
    for operation in bench.deliveries(again).flatMap(\.operations) { written = written.union(operation.set.assigned) }
    #expect(written == (isKnown ? [.rotation, .position] : [.rotation, .position, .kind, .alpha]))
  }

  @Test("Of the newest changes it is known what they wrote, of older ones that it is not")
  func recentChanges() {
    var recent = RecentChanges(after: 100)
    #expect(recent.registers(since: 99) == nil)
    #expect(recent.registers(since: 100) == [:])
    var canvas = Canvas()
    let shapes = (1...3).map { Identifier(packed: $0)! }
    let most = UInt64(RecentChanges.entriesMax)
    for step in 1...(most + 500) {
      var set = Properties()
      if step % 2 == 0 { set.alpha = Int16(step % 10 + 1) } else { set.rotation = Double(step) }
      let at = Stamp(milliseconds: step, counter: 0, actor: shapes[0])!
      recent.note(canvas.apply(Operation(shape: shapes[Int(step % 3)], at: at, set: set)), place: 100 + step)
    }
    #expect(recent.registers(since: 599) == nil)
    #expect(recent.registers(since: 600)?.count == 3)
    #expect(
      recent.registers(since: 98 + most + 500) == [
        shapes[(Int(most) + 499) % 3]: [.rotation], shapes[(Int(most) + 500) % 3]: [.alpha],
      ]
    )
    #expect(recent.registers(since: 100 + most + 500) == [:])
  }

  @Test(
    "C6: a welcome that would be too long leaves to later messages what it has no room for",
    arguments: [(60, 16_384), (120, 1_048_576)] as [(Int, UInt64)]
  )
  func longWelcome(peers: Int, messageBytes: UInt64) throws {
    var bench = RoomBench {
      $0.messageBytes = messageBytes
      $0.namedPeople = 1_000
    }
    let state = JSONText("{\"about\":\"\(String(repeating: "x", count: 1_000))\"}")
    for _ in 0..<peers {
      let peer = bench.join(.json) { $0.name = Text(String(repeating: "n", count: 40)) }
      bench.say(.presence(state), peer)
    }
    bench.pass(1_000)
    bench.settle()
    for encoding in WireEncoding.allCases {
      let newcomer = bench.join(encoding)
      bench.settle()
      #expect(bench.clients[newcomer].messageBytesMax <= min(messageBytes, 65_536))
      let seen = bench.clients[newcomer].peers
      for peer in bench.room.audience.peers where peer.actor != bench.actor(newcomer) {
        #expect(seen[peer.actor]?.name == peer.name)
        #expect(seen[peer.actor]?.state == peer.state)
      }
      bench.leave(newcomer)
    }
  }

  @Test("D7: a cursor of another life of the room, of another run, of the future or of nobody is refused, not misread")
  func badCursors() throws {
    var (bench, writer) = RoomBench.withWriter()
    bench.settle(writer, 1) { $0.kind = .star }
    let good = RoomCursor(epoch: 77, run: bench.run, position: bench.room.position)
    let texts: [Text] = [
      RoomCursor(epoch: 78, run: bench.run, position: bench.room.position).text,
      RoomCursor(epoch: 77, run: bench.run + 1, position: bench.room.position).text,
      RoomCursor(epoch: 77, run: RoomRuns.none, position: bench.room.position).text,
      RoomCursor(epoch: 77, run: bench.run, position: 4_000).text, "",
      "nonsense", Text("1" + good.text.string.dropFirst()), "1.25.3", Text(good.text.string + ".0"),
      Text(good.text.string.dropLast() + "-1"), "2.zzzzzzzzzzzzzzzz.1", "2..", "2.25.03", "2.25.",
    ]
    for text in texts {
      let client = bench.join { $0.since = Cursor(text) }
      #expect(bench.deliveries(client).first?.reset == true, "\(text)")
      bench.expectCaughtUp(client)
    }
    let client = bench.join { $0.since = good.cursor }
    #expect(bench.deliveries(client).first?.reset == false)
  }

  @Test("cursors are read as they are written", arguments: [0, 1, 35, 36, 1_763_650_000_000, UInt64.max])
  func cursors(number: UInt64) {
    let cursor = RoomCursor(epoch: number, run: 0x1234, position: ~number)
    #expect(RoomCursor(cursor.cursor) == cursor)
    #expect(RoomCursor(cursor.cursor)?.isOf(epoch: number, run: 0x1234) == true)
  }

  @Test("a snapshot that is cut or changed is a named error")
  func damagedImage() {
    var (bench, writer) = RoomBench.withWriter()
    bench.settle(writer, 1) { $0.kind = .star }
    let bytes = bench.room.image().encoded()
    #expect(throws: RoomImageError.truncated) { try RoomImage(Array(bytes.dropLast()), seed: 1) }
    #expect(throws: RoomImageError.truncated) { try RoomImage([], seed: 1) }
    #expect(throws: RoomImageError.unknownVersion(9)) { try RoomImage([9] + bytes.dropFirst(), seed: 1) }
  }

  @Test("D2: a client that was away for longer than deletions are remembered starts again")
  func horizon() {
    var (bench, writer) = RoomBench.withWriter { $0.horizonMilliseconds = 60_000 }
    bench.makeStars(writer, 1...2)
    let since = bench.clients[writer].cursor
    bench.settle(writer, 1) { $0.delete() }
    bench.pass(100_000)
    bench.room.forgetErasures(now: bench.now)
    #expect(bench.room.canvas.erasureCount == 1)
    bench.pass(100_000)
    bench.room.forgetErasures(now: bench.now)
    #expect(bench.room.canvas.erasureCount == 0)

    let image = try? RoomImage(bench.room.image().encoded(), seed: 1)
    for room in [bench.room, RoomBench.room(bench.limits, image: image)] {
      bench.restart(with: room)
      let client = bench.join { $0.since = since }
      #expect(bench.deliveries(client).first?.reset == true)
      bench.expectCaughtUp(client)
    }
  }

  @Test("R3: others are told who comes and goes, and nobody of oneself")
  func joinAndLeave() {
    var bench = RoomBench()
    let ann = bench.join(.json) { $0.name = "Ann" }
    let bob = bench.join(.binary) { $0.name = "Bob" }
    #expect(bench.clients[ann].peers.values.map { $0.name } == ["Bob"])
    #expect(bench.clients[bob].peers.values.map { $0.name } == ["Ann"])
    bench.leave(ann)
    bench.settle()
    #expect(bench.clients[bob].peers.isEmpty)
  }

  @Test("C2: both encodings in one room see the same, and each beat is encoded once for each")
  func mixed() {
    var bench = RoomBench()
    let clients = (0..<6).map { bench.join($0 % 2 == 0 ? .json : .binary) { $0.overlaps = false } }
    for round in 0..<20 {
      for client in clients {
        bench.write(client, bench.shape(UInt64(round))) {
          $0.kind = .star
          $0.position = Point(x: Double(client), y: Double(round))
        }
      }
      bench.settle()
    }
    for client in clients { bench.expectCaughtUp(client) }
    // Each round has one broadcast with the operations of six writers, encoded once in each of two encodings. So twenty
    // rounds make about forty encoded broadcasts.
    #expect(bench.room.counts.beats < 60)
  }

  @Test("4404: a deleted room sends everyone away, and refuses what was on its way")
  func deletion() {
    var bench = RoomBench()
    let clients = [bench.join(), bench.join(.json)]
    bench.write(clients[0], bench.shape(1)) { $0.kind = .star }
    bench.room.close(.noSuchRoom, "the room was deleted", now: bench.now)
    bench.takeEffects()
    #expect(clients.allSatisfy { bench.clients[$0].closed == .noSuchRoom })
    #expect(bench.room.isIdle)
  }

  @Test("a room takes a bounded number of people")
  func crowd() {
    var bench = RoomBench { $0.connectionsPerRoom = 2 }
    let first = bench.join { $0.key = "" }
    bench.join()
    #expect(bench.clients[bench.join()].id == nil)
    // A client that reconnects is counted once.
    #expect(bench.clients[bench.again(first)].id != nil)
  }
}
