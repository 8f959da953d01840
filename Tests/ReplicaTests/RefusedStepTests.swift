import Testing

@testable import CanvasCRDT
@testable import SyncServer

@Suite("Steps of which the server has refused a part")
struct RefusedStepTests {
  /// Refuses the client's next message because of its first operation. The later messages still reach the room.
  private func refuse(_ room: inout TestRoom) throws {
    let sent = try room.hosts[0].interceptSubmissions()
    room.hand(.rejection(Rejection(id: sent[0].id, operation: 0, code: .badValue, message: "not here")), to: 0)
    for submission in sent.dropFirst() { room.deliver(submission, from: 0) }
    room.deliverAll(to: 0)
  }

  @Test("an undo doesn't write a value that the server has refused, and what is older can be undone")
  func refusedValueBefore() throws {
    var (room, ann) = TestRoom.withAnn()
    let shape = room.add(ann) { $0.name = "Sun" }
    room.settle()
    room.edit(ann, shape) { $0.name = "Moon" }
    room.edit(ann, shape) { $0.name = "Star" }
    try refuse(&room)
    room.settle()
    #expect(room.canvas[shape]?.properties.name == "Star")
    room.undo(ann, settles: true)
    #expect(room.canvas[shape]?.properties.name == "Sun")
    room.redo(ann, settles: true)
    #expect(room.canvas[shape]?.properties.name == "Star")
    for _ in 0..<2 { room.undo(ann) }
    #expect(room.hosts[ann].replica.canvas.liveCount == 0)
    #expect(!room.hosts[ann].replica.canUndo)
  }

  @Test("nor a value that was refused only after the replica was saved and restored")
  func refusedSinceSaved() throws {
    var (room, ann) = TestRoom.withAnn { $0.textBytes = 100 }
    let shape = room.add(ann) { $0.text = "Sun" }
    room.settle()
    room.edit(ann, shape) { $0.text = Text(String(repeating: "Moon", count: 50)) }
    room.edit(ann, shape) { $0.text = "Star" }
    #expect(try room.hosts[ann].interceptSubmissions().count == 2)
    room.run(ann) { $0.stop(at: $1) }
    let saved = room.hosts[ann].replica
    var replica = try Replica(saved: saved.save(withDrawing: true), seed: 9)
    try replica.restoreHistory(saved.saveHistory())
    let late = room.join(replica)
    #expect(room.hosts[late].rejected.count == 1)
    #expect(room.canvas[shape]?.properties.text == "Star")
    room.undo(late, settles: true)
    #expect(room.canvas[shape]?.properties.text == "Sun")
  }

  @Test("nor a value that an earlier process had sent, which kept no drawing")
  func refusedOfFormerProcess() throws {
    var room = TestRoom { $0.textBytes = 100 }
    let ann = room.join()
    let shape = room.add(ann) { $0.text = "Sun" }
    room.settle()
    room.edit(ann, shape) { $0.text = Text(String(repeating: "Moon", count: 50)) }
    #expect(try room.hosts[ann].interceptSubmissions().count == 1)
    let saved = room.hosts[ann].replica.save(withDrawing: false)
    room.disconnect(ann)
    room.hosts[ann] = TestHost(try Replica(saved: saved, seed: 9))
    room.greet(ann)
    room.deliverAll(to: ann)
    room.edit(ann, shape) { $0.text = "Star" }
    room.settle()
    #expect(room.hosts[ann].rejected.map(\.code) == [.roomFull])
    #expect(room.canvas[shape]?.properties.text == "Star")
    room.undo(ann, settles: true)
    #expect(room.canvas[shape]?.properties.text == "Sun")
  }

  @Test("a deleted shape comes back without the value that was refused")
  func refusedValueOfDeleted() throws {
    var (room, ann) = TestRoom.withAnn()
    let shape = room.add(ann) { $0.alpha = 4 }
    room.settle()
    room.edit(ann, shape) { $0.alpha = 7 }
    room.run(ann) { $0.delete([shape], at: $1) }
    try refuse(&room)
    room.settle()
    #expect(room.canvas.liveCount == 0)
    room.undo(ann, settles: true)
    #expect(room.canvas[shape]?.properties.alpha == 4)
  }

  @Test(
    "a step whose last write was refused still undoes its earlier ones, and no older step",
    arguments: [false, true]
  )
  func lastWriteRefused(isFollowed: Bool) throws {
    var (room, ann, shape) = TestRoom.withShape()
    room.beginGroup(ann)
    room.edit(ann, shape) { $0.position = Point(x: 1, y: 1) }
    room.settle()
    room.edit(ann, shape) { $0.position = Point(x: 2, y: 2) }
    room.endGroup(ann)
    if isFollowed { room.edit(ann, shape) { $0.position = Point(x: 3, y: 3) } }
    try refuse(&room)
    room.settle()
    if isFollowed {
      #expect(room.canvas[shape]?.properties.position == Point(x: 3, y: 3))
      room.undo(ann)
    }
    #expect(room.hosts[ann].replica.canvas[shape]?.properties.position == Point(x: 1, y: 1))
    room.undo(ann)
    #expect(room.hosts[ann].replica.canvas[shape]?.properties.position == Point(x: 0, y: 0))
    room.redo(ann)
    #expect(room.hosts[ann].replica.canvas[shape]?.properties.position == Point(x: 1, y: 1))
    for _ in 0..<2 { room.undo(ann) }
    #expect(room.hosts[ann].replica.canvas.liveCount == 0)
  }

  @Test("undo spares what another wrote between two writes of a step whose last write was refused")
  func anotherBetween() throws {
    var (room, ann, bob, shape) = TestRoom.withTwo()
    room.beginGroup(ann)
    room.edit(ann, shape) { $0.alpha = 4 }
    room.settle()
    room.time += 5
    room.edit(bob, shape) { $0.alpha = 6 }
    room.settle()
    room.edit(ann, shape) { $0.alpha = 5 }
    room.endGroup(ann)
    try refuse(&room)
    room.settle()
    #expect(room.hosts[ann].replica.canvas[shape]?.properties.alpha == 6)
    // The refused step can't be undone any more. Nor can the step that made the shape, because another person has
    // edited the shape since.
    #expect(room.hosts[ann].replica.history.undoable.count == 1)
    room.undo(ann, settles: true)
    #expect(room.canvas[shape]?.properties.alpha == 6)
  }

  @Test("a shape that a step made and deleted can be undone if its deletion is refused after an undo")
  func refusedDeletionOfMade() throws {
    var (room, ann) = TestRoom.withAnn()
    let older = room.add(ann)
    room.settle()
    room.beginGroup(ann)
    let shape = room.add(ann)
    room.run(ann) { $0.delete([shape], at: $1) }
    room.endGroup(ann)
    let sent = try room.hosts[ann].interceptSubmissions()
    room.undo(ann, settles: true)
    #expect(room.canvas[older] == nil)
    room.deliver(sent[0], from: ann)
    room.deliverAll(to: ann)
    room.hand(.rejection(Rejection(id: sent[1].id, operation: 0, code: .badValue, message: "not here")), to: ann)
    #expect(room.hosts[ann].replica.canvas[shape] != nil)
    for _ in 0..<2 {
      room.undo(ann, settles: true)
      #expect(room.canvas.liveCount == 0)
      #expect(!room.hosts[ann].replica.canUndo)
      room.redo(ann, settles: true)
      #expect(room.canvas.shapes.map(\.id) == [shape])
    }
    room.redo(ann, settles: true)
    #expect(room.canvas.liveCount == 2)
  }
}
