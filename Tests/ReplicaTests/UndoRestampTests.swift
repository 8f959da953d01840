import Testing

@testable import CanvasCRDT

@Suite struct UndoRestampTests {
  @Test("under a new actor, what was undone before can be redone", arguments: [false, true])
  func redo(isStepAnswered: Bool) throws {
    var room = TestRoom()
    let ann = room.join()
    let old = room.hosts[ann].replica.actor
    let shape = room.add(ann) { $0.rotation = 1 }
    room.settle()
    let copy = try Replica(saved: room.hosts[ann].replica.save(withDrawing: true), seed: 8)
    for rotation in [2.0, 3] {
      room.edit(ann, shape) { $0.rotation = rotation }
      if isStepAnswered { room.settle() }
    }
    room.run(ann) { $0.undo(at: $1) }
    // Nothing of it has reached the room when a copy of the tab takes the actor over.
    room.disconnect(ann, code: CloseCode.actorElsewhere.rawValue)
    room.join(copy)
    room.settle(for: 20_000)
    #expect(room.hosts[ann].replica.actor != old)
    func rotation() -> Double? { room.hosts[ann].replica.canvas[shape]?.properties.rotation }
    #expect(rotation() == 2)
    room.run(ann) { $0.redo(at: $1) }
    #expect(rotation() == 3)
    for expected in [2.0, 1] {
      room.run(ann) { $0.undo(at: $1) }
      #expect(rotation() == expected)
    }
    for expected in [2.0, 3] {
      room.run(ann) { $0.redo(at: $1) }
      #expect(rotation() == expected)
    }
  }
}
