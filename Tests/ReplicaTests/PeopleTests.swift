import Testing

@testable import CanvasCRDT

@Suite("People and their presence")
struct PeopleTests {
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
    let again = room.hosts[ann].replica.introduce(name: "Anna", color: Color(red: 1, green: 2, blue: 3), at: now)
    #expect(again.isEmpty)
  }

  @Test("peers come and go, and are listed")
  func peers() throws {
    var room = TestRoom()
    let ann = room.join()
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
