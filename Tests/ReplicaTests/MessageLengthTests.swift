import Testing

@testable import CanvasCRDT
@testable import ServerModel
@testable import SyncServer

@Suite("Messages that would be too long")
struct MessageLengthTests {
  static func longInk() -> Properties {
    var set = Properties()
    set.kind = .ink
    set.path = Path(
      (0..<1_024).map { number in
        Path.Point(number % 2 == 0 ? BoxPlace(x: 65_535, y: 65_535) : BoxPlace(x: 0, y: 0), width: 150)
      }
    )!
    return set
  }

  private func inks(_ count: Int) -> [ShapeEdit] {
    (1...count).map { ShapeEdit(shape: Identifier(packed: UInt64($0))!, set: MessageLengthTests.longInk()) }
  }

  private func replica(_ encoding: WireEncoding) -> Replica {
    return Replica(configuration: ReplicaConfiguration { $0.encoding = encoding }, seed: 5)
  }

  @Test("an edit of many long strokes gets out, in messages that the server takes", arguments: WireEncoding.allCases)
  func manyStrokes(encoding: WireEncoding) {
    var room = TestRoom { $0.messageBytes = 40_000 }
    let ann = room.join(replica(encoding))
    room.run(ann) { $0.edit(inks(12), at: $1) }
    room.settle()
    #expect(room.hosts[ann].replica.unsentCount == 0)
    #expect(room.canvas.liveCount == 12)
    #expect(room.stored.count > 1)
    // Deletes all shapes at once, and restores them with undo.
    room.run(ann) { $0.clear(at: $1) }
    room.settle()
    room.undo(ann, settles: true)
    #expect(room.canvas.liveCount == 12)
    #expect(room.server.clients.allSatisfy { $0.closed == nil })
  }

  @Test("what was drawn offline goes out in messages of at most 64 KiB, which get through a thin uplink")
  func thinUplink() {
    var room = TestRoom()
    room.hosts.append(TestHost(replica(.json)))
    let ann = room.hosts.count - 1
    room.run(ann) { $0.edit(inks(40), at: $1) }
    room.run(ann) { $0.start(at: $1) }
    room.settle()
    #expect(room.canvas.liveCount == 40)
    let limits = room.hosts[ann].replica.messageLimits
    #expect(room.stored.allSatisfy { limits.bytes($0) <= 65_536 })
  }

  @Test("an edit from before the limits were known that no message can carry is refused; the rest is sent")
  func madeBefore() {
    var room = TestRoom { $0.messageBytes = 4_000 }
    room.hosts.append(TestHost(replica(.binary)))
    let ann = room.hosts.count - 1
    let shape = room.add(ann)
    room.run(ann) { $0.edit(inks(1), at: $1) }
    room.edit(ann, shape) { $0.alpha = 4 }
    room.run(ann) { $0.start(at: $1) }
    room.settle()
    #expect(room.hosts[ann].rejected.map(\.code) == [.badValue])
    #expect(room.hosts[ann].replica.unsentCount == 0)
    #expect(room.canvas.liveCount == 1)
    #expect(room.canvas[shape]?.properties.alpha == 4)
    #expect(room.hosts[ann].replica.canvas == room.canvas)
    #expect(room.hosts[ann].replica.history.undoable.count == 2)
  }

  @Test("a single edit that no message can carry is refused when it is made")
  func singleEdit() {
    var (room, ann) = TestRoom.withAnn { $0.messageBytes = 4_000 }
    room.run(ann) { $0.edit(inks(1), at: $1) }
    #expect(room.hosts[ann].rejected.map(\.code) == [.badValue])
    #expect(room.hosts[ann].rejected.map(\.message) == [Replica.tooLong])
    #expect(room.hosts[ann].replica.canvas.isEmpty)
    #expect(!room.hosts[ann].replica.canUndo)
    #expect(room.hosts[ann].replica.unsentCount == 0)
  }

  @Test("if something on the way takes less than the server, messages are halved until they get through")
  func halving() {
    var (room, ann) = TestRoom.withAnn()
    room.run(ann) { $0.edit(inks(40), at: $1) }
    let proxy = 20_000
    var cuts = 0
    while room.hosts[ann].replica.unsentCount > 0, cuts < 10 {
      while !room.hosts[ann].toServer.isEmpty, room.hosts[ann].toServer.allSatisfy({ $0.count <= proxy }) {
        room.deliverToServer(ann)
        room.deliverAll(to: ann)
      }
      guard room.hosts[ann].replica.unsentCount > 0 else { break }
      cuts += 1
      room.disconnect(ann, code: CloseCode.tooLarge.rawValue)
      room.run(ann) { $0.start(at: $1) }
      room.open(ann)
      // The `hello` message is short enough to arrive.
      room.deliverToServer(ann)
      room.deliverAll(to: ann)
    }
    #expect(cuts > 1 && cuts < 10)
    room.settle()
    #expect(room.canvas.liveCount == 40)
    #expect(room.hosts[ann].rejected.isEmpty)
  }

  @Test("an edit that is alone in a message, and too long for something on the way, is taken back")
  func tooLongOnTheWay() {
    var (room, ann, shape) = TestRoom.withShape()
    room.run(ann) { $0.edit(inks(1), at: $1) }
    room.edit(ann, shape) { $0.alpha = 4 }
    room.disconnect(ann, code: CloseCode.tooLarge.rawValue)
    #expect(room.hosts[ann].rejected.map(\.code) == [.badValue])
    room.settle(for: 60_000)
    #expect(room.canvas.liveCount == 1)
    #expect(room.canvas[shape]?.properties.alpha == 4)
    #expect(room.hosts[ann].replica.canvas == room.canvas)
  }
  @Test("with a new shape that is too long for something on the way, its edits that were on their way are taken back")
  func editsOfTooLong() {
    var (room, ann) = TestRoom.withAnn()
    let shape = inks(1)[0].shape
    room.run(ann) { $0.edit(inks(1), at: $1) }
    room.edit(ann, shape) { $0.alpha = 4 }
    #expect(room.hosts[ann].replica.outbox.sentCount == 2)
    room.disconnect(ann, code: CloseCode.tooLarge.rawValue)
    #expect(room.hosts[ann].rejected.map(\.operation.shape) == [shape, shape])
    #expect(room.hosts[ann].replica.unsentCount == 0)
  }

  @Test("a short edit is kept after a close for length, because the long message was the server's")
  func shortEdit() {
    var (room, ann, shape) = TestRoom.withShape()
    room.edit(ann, shape) { $0.alpha = 4 }
    room.disconnect(ann, code: CloseCode.tooLarge.rawValue)
    #expect(room.hosts[ann].rejected.isEmpty)
    room.settle(for: 60_000)
    #expect(room.canvas[shape]?.properties.alpha == 4)
  }
}
