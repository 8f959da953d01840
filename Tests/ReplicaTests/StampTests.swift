import TestSupport
import Testing

@testable import CanvasCRDT
@testable import ServerModel
@testable import SyncServer

@Suite("Stamps and actors")
struct StampTests {
  @Test("stamps follow the server's clock, however wrong the host's is", arguments: [-7_200_000, 0, 7_200_000])
  func wrongClock(error: Int64) {
    var room = TestRoom()
    let ann = room.join(wallError: error)
    room.time += 500
    _ = room.add(ann)
    room.settle()
    #expect(room.log[0].at.milliseconds == TestHost.epoch + room.time)
  }

  @Test(
    "stamps from a wrong clock, given before the server told the time, are corrected to when they were given",
    arguments: [false, true]
  )
  func drawnBeforeTheFirstWelcome(isRestored: Bool) throws {
    var room = TestRoom()
    room.hosts.append(TestHost(Replica(seed: 4), wallError: 3_600_000))
    let shape = room.add(0)
    let drawnAt = room.time
    if isRestored {
      // No process of this client was ever in a room, so none has sent a stamp.
      room.hosts[0].replica = try Replica(saved: room.hosts[0].replica.save(withDrawing: true), seed: 5)
    }
    room.time += 5_000
    room.edit(0, shape) { $0.rotation = 3 }
    room.run(0) { $0.start(at: $1) }
    room.settle()
    #expect(room.log.map(\.at.milliseconds) == [TestHost.epoch + drawnAt, TestHost.epoch + drawnAt + 5_000])
    #expect(room.hosts[0].rejected.isEmpty)
    room.undo(0)
    #expect(room.hosts[0].replica.canvas[shape]?.properties.rotation == 0)
  }

  @Test(
    "a clock that is set back between an edit and the first welcome puts no edit at another time",
    arguments: [(3_600_000, 0), (0, -3_600_000), (1_800_000, -1_800_000)] as [(Int64, Int64)]
  )
  func setBackBeforeTheFirstWelcome(before: Int64, after: Int64) {
    var room = TestRoom()
    room.hosts.append(TestHost(Replica(seed: 4), wallError: before))
    let shape = room.add(0)
    let drawnAt = TestHost.epoch + room.time
    room.hosts[0].wallError = after
    room.time += 5_000
    room.edit(0, shape) { $0.rotation = 3 }
    room.time += 5_000
    room.run(0) { $0.start(at: $1) }
    room.settle()
    #expect(room.log.map(\.at.milliseconds) == [drawnAt, drawnAt + 5_000])
    #expect(room.hosts[0].rejected.isEmpty)
  }

  /// Somebody was here, whose clock was wrong by `error`, and is back a day later with a right one, but not yet connected.
  private func backADayLater(error: Int64, withEdits: Bool) throws
    -> (room: TestRoom, back: Int, bob: Int, shape: Identifier)
  {
    var room = TestRoom()
    let ann = room.join(wallError: error)
    let bob = room.join()
    let shape = room.add(ann)
    room.settle()
    room.edit(ann, shape) { $0.rotation = 1 }
    let kept = room.hosts[ann].replica.save(withDrawing: true, withEdits: withEdits)
    room.run(ann) { $0.stop(at: $1) }
    room.time += 86_400_000
    room.hosts.append(TestHost(try withEdits ? Replica(saved: kept, seed: 8) : Replica(drawing: kept, seed: 8)))
    return (room, room.hosts.count - 1, bob, shape)
  }

  /// How one comes back: with one's edits, with the drawing only, or with unanswered edits while another connection is
  /// this actor.
  enum Return: CaseIterable {
    case asBefore, asNewTab, whenActorIsElsewhere
  }

  @Test(
    "a clock that was wrong at the last visit, and was set right since, puts no edit into the past",
    arguments: [-7_200_000, 0, 7_200_000],
    Return.allCases
  )
  func setRightBetweenVisits(error: Int64, return way: Return) throws {
    let isNewTab = way == .asNewTab
    let (begun, back, bob, shape) = try backADayLater(error: error, withEdits: !isNewTab)
    var room = begun
    room.edit(back, shape) { $0.text = "first" }
    room.edit(bob, shape) { $0.rotation = 2 }
    room.time += 5_000
    room.edit(back, shape) { $0.rotation = 3 }
    let drawnAt = TestHost.epoch + room.time
    room.time += 5_000
    room.run(back) { $0.start(at: $1) }
    if way == .whenActorIsElsewhere { room.disconnect(back, code: CloseCode.actorElsewhere.rawValue) }
    room.settle(for: 60_000)
    #expect(room.canvas[shape]?.properties.rotation == 3)
    #expect(room.canvas.stamp(of: .rotation, in: shape)?.milliseconds == drawnAt)
    #expect(room.canvas.stamp(of: .text, in: shape)?.milliseconds == drawnAt - 5_000)
    room.undo(back)
    #expect(room.hosts[back].replica.canvas[shape]?.properties.rotation == (isNewTab ? 0 : 1))
  }

  @Test("what is drawn once the server has told its time keeps its time", arguments: [-7_200_000, 7_200_000])
  func drawnBeforeTheStateHasCome(error: Int64) throws {
    let (begun, back, bob, shape) = try backADayLater(error: error, withEdits: true)
    var room = begun
    // Another connection is this actor, so this one becomes another when the room's state has come.
    room.run(back) { $0.start(at: $1) }
    room.disconnect(back, code: CloseCode.actorElsewhere.rawValue)
    room.time = try #require(room.hosts[back].wakeAt)
    room.run(back) { $0.wake(at: $1) }
    room.open(back)
    room.deliverToServer(back)
    #expect(room.deliverOne(to: back) && room.hosts[back].replica.state != .greeting, "the welcome has come")
    room.edit(back, shape) { $0.rotation = 3 }
    room.disconnect(back)
    room.time += 3_000
    room.edit(bob, shape) { $0.rotation = 77 }
    room.settle(for: 60_000)
    #expect(room.canvas[shape]?.properties.rotation == 77)
  }

  @Test("a clock put forward during the session costs a reconnect and no edit")
  func jumpingClock() {
    var (room, ann) = TestRoom.withAnn()
    room.hosts[ann].wallError = 3_600_000
    let shape = room.add(ann)
    room.settle(for: 20_000)
    #expect(room.refusals(.clockAhead) == 1)
    #expect(room.canvas[shape] != nil)
    #expect(room.hosts[ann].rejected.isEmpty)
  }

  @Test("under a new actor, one's own lock doesn't count as newer than what one has written after it")
  func ownLockUnderNewActor() {
    var (room, ann, shape) = TestRoom.withShape { $0.clockAheadMilliseconds = 100 }
    room.disconnect(ann, code: CloseCode.actorElsewhere.rawValue)
    room.time += 10_000
    room.edit(ann, shape) { $0.isLocked = true }
    room.edit(ann, shape) { $0.rotation = 3 }
    // In the outbox, this lock takes the place of the first one.
    room.edit(ann, shape) { $0.isLocked = true }
    room.serverError = -5_000
    room.settle(for: 20_000)
    room.undo(ann)
    let shown = room.hosts[ann].replica.canvas[shape]?.properties
    #expect(shown?.rotation == 0 && shown?.isLocked == true)
  }

  @Test("under a new actor, waiting edits get new stamps in their order, and can still be undone")
  func newActor() throws {
    var (room, ann) = TestRoom.withAnn()
    let old = room.hosts[ann].replica.actor
    // A copy of the tab joins with the same actor.
    let copy = room.join(try Replica(saved: room.hosts[ann].replica.save(withDrawing: true), seed: 8))
    #expect(!room.hosts[ann].isOpen)
    let shape = room.add(ann)
    room.edit(ann, shape) { $0.rotation = 3 }
    room.settle(for: 20_000)
    let new = room.hosts[ann].replica.actor
    #expect(new != old)
    #expect(room.hosts[copy].replica.actor == old)
    #expect(room.log.allSatisfy { $0.at.actor == new })
    #expect(room.canvas[shape]?.properties.rotation == 3)
    room.undo(ann)
    room.undo(ann)
    #expect(room.hosts[ann].replica.canvas[shape] == nil)
  }

  @Test(
    "under a new actor the newest edit wins over older ones that the room has taken, and is undone",
    arguments: 0..<8
  )
  func newActorAfterSending(seed: UInt64) {
    var room = TestRoom()
    let ann = room.join(seed: seed)
    let shape = room.add(ann)
    room.settle()
    // All these edits have stamps of the same millisecond. The room accepts them, but the answers are lost.
    for step in 1...4 {
      room.edit(ann, shape) { $0.rotation = Double(step) }
      room.deliverToServer(ann)
    }
    let old = room.hosts[ann].replica.actor
    room.disconnect(ann, code: CloseCode.actorElsewhere.rawValue)
    room.edit(ann, shape) { $0.rotation = 5 }
    room.settle(for: 60_000)
    #expect(room.hosts[ann].replica.actor != old)
    #expect(room.canvas[shape]?.properties.rotation == 5)
    for step in [4.0, 3, 2, 1, 0] {
      room.undo(ann, settles: true)
      #expect(room.canvas[shape]?.properties.rotation == step)
    }
    room.undo(ann)
    #expect(room.hosts[ann].replica.canvas.liveCount == 0)
  }

  @Test("an edit that is refused for now doesn't win, under a new actor, over a newer edit that the room has taken")
  func refusedForNowThenNewActor() throws {
    var (room, ann, shape) = TestRoom.withShape()
    room.edit(ann, shape) { ($0.rotation, $0.alpha) = (1, 4) }
    let first = try room.hosts[ann].interceptSubmissions()
    room.edit(ann, shape) { $0.rotation = 2 }
    room.hand(.rejection(Rejection(id: first[0].id, code: .unavailable, message: "later")), to: ann)
    room.deliverToServer(ann)
    room.deliverAll(to: ann)
    room.disconnect(ann, code: CloseCode.actorElsewhere.rawValue)
    room.settle(for: 60_000)
    #expect(room.canvas[shape]?.properties.rotation == 2)
    #expect(room.canvas[shape]?.properties.alpha == 4)
    room.undo(ann)
    #expect(room.hosts[ann].replica.canvas[shape]?.properties.rotation == 1)
    room.undo(ann)
    #expect(room.hosts[ann].replica.canvas[shape]?.properties.rotation == 0)
    #expect(room.hosts[ann].replica.canvas[shape]?.properties.alpha == 10)
  }

  @Test("refused twice as ahead, and then a new actor, one still undoes what the room had taken", arguments: 0..<8)
  func newActorAfterRefusals(seed: UInt64) throws {
    var room = TestRoom()
    let ann = room.join(seed: seed)
    let old = room.hosts[ann].replica.actor
    for turn in 1...2 {
      // The room accepts the shape, but the answer is lost.
      let shape = room.add(ann)
      room.deliverToServer(ann)
      room.edit(ann, shape) { $0.rotation = Double(turn) }
      let newest = try #require(try room.hosts[ann].interceptSubmissions().last)
      let ahead = Rejection(id: newest.id, operation: 0, code: .clockAhead, message: "ahead")
      room.hand(.rejection(ahead), to: ann)
      room.time = try #require(room.hosts[ann].wakeAt)
      room.run(ann) { $0.wake(at: $1) }
      room.open(ann)
      room.deliverToServer(ann)
      if turn == 1 { room.deliverAll(to: ann) }
    }
    room.settle(for: 60_000)
    #expect(room.hosts[ann].replica.actor != old)
    let made = room.log.filter { $0.set.assigned.contains(.kind) }
    #expect(Set(made.map(\.at)).count == 2, "what the room has is not sent again under another stamp")
    #expect(room.canvas.shapes.map(\.properties.rotation).sorted() == [1, 2])
    for _ in 0..<4 {
      room.undo(ann, settles: true)
    }
    #expect(room.canvas.liveCount == 0)
  }

  @Test("refused twice as ahead, and then a new actor, one still undoes what the room had taken long before")
  func newActorAfterRefusalsOnly() throws {
    var (room, ann, shape) = TestRoom.withShape()
    let old = room.hosts[ann].replica.actor
    room.edit(ann, shape) { $0.rotation = 1 }
    room.settle()
    room.time += 1_000
    room.edit(ann, shape) { $0.alpha = 3 }
    for _ in 1...2 {
      let newest = try #require(try room.hosts[ann].interceptSubmissions().last)
      room.hand(.rejection(Rejection(id: newest.id, operation: 0, code: .clockAhead, message: "ahead")), to: ann)
      room.time = try #require(room.hosts[ann].wakeAt)
      room.run(ann) { $0.wake(at: $1) }
      room.open(ann)
      room.deliverToServer(ann)
      room.deliverAll(to: ann)
    }
    room.settle(for: 60_000)
    #expect(room.hosts[ann].replica.actor != old)
    for rotation in [1.0, 0] {
      room.undo(ann, settles: true)
      #expect(room.canvas[shape]?.properties.alpha == 10 && room.canvas[shape]?.properties.rotation == rotation)
    }
    room.undo(ann, settles: true)
    #expect(room.canvas.liveCount == 0)
  }

  @Test("under a new actor, what others have written meanwhile is not written over by what was sent before")
  func newActorAmongOthers() {
    var (room, ann, bob) = TestRoom.withAnnAndBob()
    let shape = room.add(ann)
    let gone = room.add(ann)
    room.settle()
    // These edits are lost with the connection.
    room.edit(ann, shape) { $0.rotation = 1 }
    room.run(ann) { $0.delete([gone], at: $1) }
    room.disconnect(ann, code: CloseCode.actorElsewhere.rawValue)
    room.time += 10
    room.edit(bob, shape) { $0.rotation = 2 }
    room.deliverToServer(bob)
    room.settle(for: 60_000)
    #expect(room.canvas[shape]?.properties.rotation == 2)
    #expect(room.canvas[gone] == nil)
    #expect(room.hosts[ann].replica.canvas == room.canvas)
    #expect(room.hosts[ann].replica.unsentCount == 0)
  }

  @Test("C9: a tab that keeps its edits sends none before its stamp is kept")
  func keptBeforeSent() throws {
    var (room, ann) = TestRoom.withAnn()
    _ = room.hosts[ann].reserve()
    _ = room.add(ann)
    room.settle()
    #expect(room.log.isEmpty)
    #expect(room.hosts[ann].keepsAsked == 1)
    let until = room.hosts[ann].reserve()
    room.run(ann) { $0.kept(untilMilliseconds: until, at: $1) }
    room.settle()
    #expect(room.log.count == 1)

    // The reservation covers the edits of a certain time. The edit after that has to wait for a new reservation.
    room.time += 300
    _ = room.add(ann)
    room.settle()
    #expect(room.log.count == 2)
    room.time += 300
    _ = room.add(ann)
    room.settle()
    #expect(room.log.count == 2)
    #expect(room.hosts[ann].keepsAsked == 2)
    // The old reservation is confirmed again, but it doesn't cover the edit.
    room.run(ann) { $0.kept(untilMilliseconds: until, at: $1) }
    #expect(room.hosts[ann].keepsAsked == 3)
    room.keep(ann)
    room.settle()
    #expect(room.log.count == 3)
  }

  @Test("C9: a tab that ends and comes back gives out no stamp twice", arguments: [-7_200_000, -400, 0, 400])
  func endsBeforeKeeping(error: Int64) throws {
    var (room, ann, shape) = TestRoom.withShape()
    room.keep(ann)
    let kept = room.hosts[ann].replica.save(withDrawing: false)
    for turn in 1...20 {
      room.time += 10
      room.edit(ann, shape) { $0.rotation = Double(turn) }
      room.settle()
    }
    #expect(room.log.count == 21)
    room.run(ann) { $0.stop(at: $1) }
    let back = room.join(try Replica(saved: kept, seed: 8), wallError: error)
    _ = room.hosts[back].reserve()
    for turn in 1...20 {
      room.time += 10
      room.edit(back, shape) { $0.rotation = Double(-turn) }
      room.keep(back)
      room.settle()
    }
    #expect(room.log.count == 41)
    #expect(Set(room.log.map(\.at)).count == 41)
    #expect(Set(room.log.map(\.at.actor)).count == 1)
    #expect(room.canvas[shape]?.properties.rotation == -20)
  }

  @Test("C10: a client whose token names its actor loses no edit to a clock that was ahead", arguments: [0, 1])
  func namedActorWithClockAhead(processes: Int) throws {
    var room = TestRoom()
    room.server.tokenActor = Identifier(packed: 4_711)!
    var ann = room.join()
    let shape = room.add(ann)
    room.settle()
    room.run(ann) { $0.stop(at: $1) }
    room.hosts[ann].wallError = 3_600_000
    room.edit(ann, shape) { $0.rotation = 1 }
    for _ in 0..<processes {
      room.keep(ann)
      ann = room.join(try Replica(saved: room.hosts[ann].replica.save(withDrawing: false), seed: 8))
      _ = room.hosts[ann].reserve()
      room.keep(ann)
    }
    room.hosts[ann].wallError = 0
    room.run(ann) { $0.start(at: $1) }
    for rotation in [1.0, 2.0] {
      room.edit(ann, shape) { $0.rotation = rotation }
      for _ in 0..<60 {
        room.keep(ann)
        room.settle(for: 1_000)
      }
      #expect(room.canvas[shape]?.properties.rotation == rotation)
      #expect(room.hosts[ann].rejected.isEmpty && room.hosts[ann].replica.unsentCount == 0)
    }
    #expect(room.canvas.stamp(of: .rotation, in: shape)!.milliseconds < TestHost.epoch + room.time)
  }

  @Test("a clock that is set right forgets what was reserved before")
  func reservedBeforeCorrection() throws {
    var room = TestRoom()
    room.hosts.append(TestHost(Replica(seed: 4), wallError: 3_600_000))
    _ = room.add(0)
    room.keep(0)
    room.run(0) { $0.start(at: $1) }
    room.settle()
    #expect(room.log.isEmpty)
    room.keep(0)
    room.settle()
    #expect(room.log.map(\.at.milliseconds) == [TestHost.epoch + 1_000])
  }

  @Test("C9: a tab that comes back to a server whose clock was set back gives out no stamp that it has sent")
  func comesBackToClockSetBack() throws {
    var (room, ann, shape) = TestRoom.withShape { $0.clockAheadMilliseconds = 100 }
    room.keep(ann)
    let kept = room.hosts[ann].replica.save(withDrawing: false)
    let start = room.time
    for turn in 1...200 {
      room.time += 1
      room.edit(ann, shape) { $0.rotation = Double(turn) }
      room.settle()
    }
    #expect(room.log.count == 201)
    room.run(ann) { $0.stop(at: $1) }
    room.setServerClock(start + 10)
    var replica = try Replica(saved: kept, seed: 8)
    let set = Properties { $0.rotation = -1 }
    _ = replica.edit([ShapeEdit(shape: shape, set: set)], at: TestHost(replica).moment(room.time))
    room.join(replica)
    room.settle(for: 20_000)
    #expect(room.log.count == 202)
    #expect(Set(room.log.map(\.at)).count == 202)
  }

  @Test("a server may give another actor than the one that was asked for")
  func givenActor() throws {
    var host = TestHost(Replica(seed: 3))
    let given = Identifier("bob-bob-bob")!
    host.run(at: 0) { replica, now in replica.add(Properties(), at: now).effects }
    let hello = try host.hello(at: 100)
    #expect(hello.actor == nil && hello.key == "", "its own is provisional")
    host.hear(
      .welcome(
        Welcome(
          room: "demo",
          actor: given,
          role: .editor,
          milliseconds: TestHost.epoch + 100,
          limits: RoomLimits(),
          peers: []
        )
      ),
      at: 100
    )
    #expect(host.replica.actor == given)
    #expect(try host.interceptSubmissions().flatMap(\.operations).map(\.at?.actor) == [given])
  }

  @Test("a clock that a slow way to the server has put ahead loses no edit either")
  func slowWayThere() throws {
    var (room, ann) = TestRoom.withAnn { $0.clockAheadMilliseconds = 60_000 }
    room.hosts[ann].wallError = 68_000
    let shape = room.add(ann)
    room.deliverToServer(ann)
    room.deliverAll(to: ann)
    #expect(room.refusals(.clockAhead) == 1)
    room.time = try #require(room.hosts[ann].wakeAt)
    room.run(ann) { $0.wake(at: $1) }
    room.open(ann)
    // Only the `hello` is slow. The replica assumes that half of the round trip was spent on each way, so its estimate
    // of the server's clock is too high.
    room.time += 6_000
    room.settle(for: 20_000)
    #expect(room.refusals(.clockAhead) == 1)
    #expect(room.canvas[shape] != nil)
    #expect(room.hosts[ann].rejected.isEmpty)
  }

  @Test("the stamp of a refused operation is not given out again, unless no room can have taken it")
  func spentStamps() {
    let actor = Identifier(packed: 7)!
    var clock = StampClock(clock: Clock(actor: actor))
    let refused = clock.tick(milliseconds: 1_000)
    clock.spend(refused)
    clock.restart(as: actor, behind: 1_000)
    #expect(clock.tick(milliseconds: 500) > refused)
    clock.restart(as: actor, behind: 999)
    #expect(clock.tick(milliseconds: 500).milliseconds == 500)
  }

  @Test("two clients that are one actor make no equal stamps in the same millisecond: each counts in its own share")
  func shares() throws {
    var room = TestRoom()
    room.server.tokenActor = Identifier(packed: 4_711)!
    let hosts = [room.join(seed: 7), room.join(seed: 8)]
    room.settle(for: 120_000)
    room.run(hosts[0]) { $0.take(CounterShare(0), at: $1) }
    for host in hosts { room.run(host) { $0.stop(at: $1) } }
    let before = hosts.map { host in (0..<3).map { _ in room.add(host) } }
    // This one learns only now that the other is the same actor.
    room.run(hosts[1]) { $0.take(CounterShare(7), at: $1) }
    let after = hosts.map { host in (0..<3).map { _ in room.add(host) } }
    for host in hosts {
      room.run(host) { $0.start(at: $1) }
      room.settle(for: 120_000)
    }
    let stamps = try zip(before, after).map { one, other in
      try (one + other).map { try #require(room.canvas.stamp(of: .kind, in: $0)) }
    }
    #expect(Set(stamps.joined()).count == 12)
    #expect(Set(stamps.joined().map(\.milliseconds)).count == 1 && Set(stamps.joined().map(\.actor)).count == 1)
    for own in stamps { #expect(own == own.sorted()) }
  }

  @Test("an edit in another share stays newer than the value that it has replaced, and older than one's later edits")
  func shareRises() throws {
    for number in 0..<CounterShare.count {
      var (room, ann, shape) = TestRoom.withShape()
      let bob = room.join()
      room.run(bob) { $0.take(CounterShare(5), at: $1) }
      for x in 1...20 { room.edit(ann, shape) { $0.position = Point(x: Double(x), y: 0) } }
      room.settle()
      room.run(bob) { $0.stop(at: $1) }
      for x in 21...22 {
        room.edit(bob, shape) { $0.position = Point(x: Double(x), y: 0) }
        room.edit(bob, shape) { $0.size = Size(width: Double(x), height: 9) }
        _ = room.add(bob)
      }
      room.run(bob) { $0.take(CounterShare(number), at: $1) }
      room.run(bob) { $0.start(at: $1) }
      room.settle(for: 120_000)
      #expect(room.canvas[shape]?.properties.position == Point(x: 22, y: 0), "share \(number)")
      #expect(room.canvas[shape]?.properties.size == Size(width: 22, height: 9), "share \(number)")
      for host in [ann, bob] { #expect(room.hosts[host].replica.canvas == room.canvas) }
    }
  }

  @Test("M3: where two clients that are one actor write different values under one stamp, they and the room agree")
  func equalStamps() throws {
    for isGreaterFirst in [true, false] {
      var room = TestRoom()
      let eve = room.join(seed: 6)
      let shapes = (0..<2).map { _ in room.add(eve) }
      room.settle()
      room.server.tokenActor = Identifier(packed: 4_711)!
      let hosts = [room.join(seed: 7), room.join(seed: 8)]
      room.settle(for: 120_000)
      for host in hosts { room.run(host) { $0.stop(at: $1) } }
      for (host, x) in zip(hosts, isGreaterFirst ? [2.0, 1] : [1, 2]) {
        for shape in shapes { room.edit(host, shape) { $0.position = Point(x: x, y: 0) } }
      }
      // The server has the first one's edits when the second one comes back with the same stamps.
      for host in hosts {
        room.run(host) { $0.start(at: $1) }
        room.settle(for: 120_000)
        #expect(room.hosts[host].replica.unsentCount == 0)
      }
      #expect(room.hosts[hosts[1]].superseded.isEmpty)
      room.run(hosts[0]) { $0.start(at: $1) }
      room.settle(for: 120_000)
      for host in [hosts[0], eve] { #expect(room.hosts[host].replica.canvas == room.canvas) }
      for shape in shapes {
        #expect(room.canvas[shape]?.properties.position == Point(x: 2, y: 0))
        #expect(room.canvas.stamp(of: .position, in: shape)?.actor == room.server.tokenActor)
      }
    }
  }

  @Test("a clock with a share leaves it neither for a stamp that it sees nor when the share is used up")
  func shareIsKept() throws {
    let actor = Identifier(packed: 4_711)!
    for number in 0..<CounterShare.count {
      var clock = Clock(actor: actor, share: CounterShare(number))
      var random = SeededGenerator(seed: number)
      for _ in 0..<200 {
        let last = clock.time
        if Bool.random(using: &random) {
          let counter = UInt64.random(in: 0...Stamp.counterMax, using: &random)
          clock.observe(try #require(Stamp(milliseconds: 1_000, counter: counter, actor: actor)))
        }
        for _ in 0..<500 {
          let stamp = clock.tick(milliseconds: UInt64.random(in: 990...1_000, using: &random))
          #expect(stamp.time > last && stamp.counter / 8_192 == number)
        }
      }
    }
  }
}
