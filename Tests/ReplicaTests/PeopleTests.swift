import TestSupport
import Testing

@testable import CanvasCRDT

@Suite("People and their presence")
struct PeopleTests {
  @Test("presence is sent at limited intervals, always the newest, and again after a reconnect")
  func presence() {
    var (room, ann) = TestRoom.withAnn()
    func sent() -> Int { room.hosts[ann].toServer.count { $0[0] == 3 } }
    for _ in 0..<10 { room.run(ann) { $0.setPresence(.emptyObject, at: $1) } }
    #expect(sent() == 1)
    #expect(room.hosts[ann].wakeAt == room.time + PresenceSender.millisecondsMin)
    room.time += PresenceSender.millisecondsMin
    room.run(ann) { $0.wake(at: $1) }
    #expect(sent() == 2)
    room.disconnect(ann)
    room.greet(ann)
    room.deliverOne(to: ann)
    #expect(sent() == 1)
  }

  @Test("a new name goes out in a new hello, and the session goes on")
  func introducing() throws {
    var (room, ann, shape) = TestRoom.withShape()
    let cursor = room.hosts[ann].replica.cursor
    let resets = room.hosts[ann].resets
    room.run(ann) { $0.introduce(name: "Anna", color: Color(red: 1, green: 2, blue: 3), at: $1) }
    #expect(!room.hosts[ann].isOpen && room.hosts[ann].wantsConnection)
    room.edit(ann, shape) { $0.rotation = 30 }
    var replica = room.hosts[ann].replica
    let now = Moment(wallMilliseconds: 0, monotonicMilliseconds: room.time)
    var hello: Hello?
    for case .send(let bytes) in replica.connected(at: now) {
      if case .hello(let said) = try BinaryEncoding.decodeClientMessage(bytes) { hello = said }
    }
    #expect(hello?.name == "Anna")
    #expect(hello?.color == Color(red: 1, green: 2, blue: 3))
    #expect(hello?.actor == replica.actor)
    #expect(hello?.since == cursor)
    room.settle()
    #expect(room.hosts[ann].replica.state == .live)
    #expect(room.hosts[ann].replica.canUndo)
    #expect(room.hosts[ann].resets == resets)
    #expect(room.canvas[shape]?.properties.rotation == 30)
    #expect(hello?.crowd == true && hello?.overlaps == false && hello?.readonly == false)
    let color = Color(red: 1, green: 2, blue: 3)
    for (name, color, isNew) in [("Anna", color, false), ("Ann", color, true), ("Anna", nil, true)]
      as [(Text, Color?, Bool)]
    {
      var replica = room.hosts[ann].replica
      #expect(replica.introduce(name: name, color: color, at: now).isEmpty != isNew)
    }
  }

  @Test("hello says as which actor one comes, and what one wants")
  func wishes() throws {
    let actor = Identifier("abc-abc-abc")!
    for wishes in [false, true] {
      let configuration = ReplicaConfiguration { ($0.overlaps, $0.readonly) = (wishes, wishes) }
      var host = TestHost(Replica(actor: wishes ? actor : nil, configuration: configuration, seed: 3))
      let hello = try host.hello()
      #expect(hello.actor == (wishes ? actor : nil) && hello.overlaps == wishes && hello.readonly == wishes)
    }
  }

  @Test("each person is listed once, and of a crowd that isn't named the number is told, each number once")
  func crowd() {
    var (room, ann, bob) = TestRoom.withAnnAndBob()
    let (own, other) = (room.hosts[ann].replica.actor, room.hosts[bob].replica.actor)
    func told(_ event: (inout TestRoom) -> Void) -> Int {
      let before = room.hosts[ann].effects.count
      event(&room)
      return room.hosts[ann].effects.count - before
    }
    func join(_ actor: Identifier) -> ServerMessage {
      .join(Peer(actor: actor, name: "Again", color: Color(red: 1, green: 2, blue: 3)))
    }
    #expect(told { $0.hand(join(other), to: ann) } == 1)
    #expect(told { $0.hand(join(own), to: ann) } == 0)
    #expect(room.hosts[ann].replica.peers.map(\.name) == ["Again"])
    let stranger = Identifier("zoe-zoe-zoe")!
    #expect(told { $0.hand(.presence([PeerState(actor: stranger, state: .emptyObject)]), to: ann) } == 0)
    #expect(told { $0.hand(.leave(stranger), to: ann) } == 0)
    #expect(room.hosts[ann].replica.unnamedCount == 0)
    #expect(told { $0.hand(.crowd(people: 2_000), to: ann) } == 1)
    #expect(told { $0.hand(.crowd(people: 2_000), to: ann) } == 0)
    #expect(room.hosts[ann].replica.crowd == 2_000 && room.hosts[ann].replica.unnamedCount == 1_998)
    room.disconnect(ann)
    #expect(room.hosts[ann].replica.crowd == 0 && room.hosts[ann].replica.peers.isEmpty)
    let crowds = room.hosts[ann].effects.compactMap { if case .crowd(let people) = $0 { people } else { nil } }
    #expect(crowds == [2_000, 0])
  }

  @Test("a presence that is longer than the room allows isn't sent, and that is told")
  func tooLong() {
    var (room, ann) = TestRoom.withAnn()
    let most = Int(room.hosts[ann].replica.limits.presenceBytes)
    for (bytes, isTooLong) in [(most + 1, true), (most, false)] {
      room.hosts[ann].effects = []
      let state = JSONText("{\"a\":\"" + String(repeating: "b", count: bytes - 8) + "\"}")
      room.run(ann) { $0.setPresence(state, at: $1) }
      #expect(room.hosts[ann].toServer.isEmpty == isTooLong)
      let told = room.hosts[ann].effects.contains {
        if case .presenceTooLong(UInt64(most)) = $0 { true } else { false }
      }
      #expect(told == isTooLong)
    }
  }

  @Test("the answer to a ping tells how long the way takes and what time it is; another one tells nothing")
  func pings() throws {
    var (room, ann) = TestRoom.withAnn()
    room.run(ann) { $0.ping(at: $1) }
    let asking = try room.hosts[ann].intercept().first
    guard case .ping(let id?)? = asking else { throw UnexpectedMessage(message: asking) }
    room.time += 400
    let asked = id.wholeNumber ?? 0
    var times: [UInt64] = []
    for number in [asked + 1, asked, asked] {
      room.hand(.pong(id: MessageIdentifier(number), milliseconds: TestHost.epoch + 90_000), to: ann)
      times.append(room.hosts[ann].replica.serverMilliseconds(at: room.hosts[ann].moment(room.time)) - TestHost.epoch)
    }
    #expect(times == [1_400, 90_200, 90_200])
    let roundTrips = room.hosts[ann].effects.compactMap { if case .pong(let time) = $0 { time } else { nil } }
    #expect(roundTrips == [400])
    room.disconnect(ann)
    room.run(ann) { $0.ping(at: $1) }
    #expect(room.hosts[ann].toServer.isEmpty)
  }

  @Test("peers come and go, and are listed")
  func peers() throws {
    var (room, ann) = TestRoom.withAnn()
    let bob = room.join(Replica(configuration: ReplicaConfiguration { $0.name = "Bob" }, seed: 5))
    let actor = room.hosts[bob].replica.actor
    #expect(room.hosts[ann].replica.peers.map(\.name) == ["Bob"])
    #expect(room.hosts[bob].replica.peers.map(\.actor) == [room.hosts[ann].replica.actor])
    let state = try "{\"cursor\":[1,2]}".utf8.span.withUnsafeBytes {
      try JSONText(validating: $0, maximumBytes: 100)
    }
    room.run(bob) { $0.setPresence(state, at: $1) }
    room.settle(for: 100)
    #expect(room.hosts[ann].replica.peer(actor)?.state == state)
    room.run(bob) { $0.stop(at: $1) }
    room.settle()
    #expect(room.hosts[ann].replica.peers.isEmpty)
    #expect(room.hosts[bob].replica.peers.isEmpty)
  }
}
