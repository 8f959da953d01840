import Testing

@testable import CanvasCRDT
@testable import SyncServer

@Suite struct UndoRestampTests {
  @Test("under a new actor, what was undone before can be redone", arguments: [false, true])
  func redo(isStepAnswered: Bool) throws {
    var (room, ann) = TestRoom.withAnn()
    let old = room.hosts[ann].replica.actor
    func turn(_ set: inout Properties, _ rotation: Double) {
      set.rotation = rotation
      set.strokeWidth = rotation
    }
    let shape = room.add(ann) { turn(&$0, 1) }
    room.settle()
    let copy = try Replica(saved: room.hosts[ann].replica.save(withDrawing: true), seed: 8)
    for rotation in [2.0, 3] {
      room.edit(ann, shape) { turn(&$0, rotation) }
      if isStepAnswered { room.settle() }
    }
    room.undo(ann)
    // A copy of the tab takes over the actor before the undo has reached the room.
    room.disconnect(ann, code: CloseCode.actorElsewhere.rawValue)
    room.join(copy)
    room.settle(for: 20_000)
    #expect(room.hosts[ann].replica.actor != old)
    func rotation() -> Double? {
      let properties = room.hosts[ann].replica.canvas[shape]?.properties
      #expect(properties?.strokeWidth == properties?.rotation, "a step is redone with all that it wrote")
      return properties?.rotation
    }
    #expect(rotation() == 2)
    room.redo(ann)
    #expect(rotation() == 3)
    for expected in [2.0, 1] {
      room.undo(ann)
      #expect(rotation() == expected)
    }
    for expected in [2.0, 3] {
      room.redo(ann)
      #expect(rotation() == expected)
    }
  }

  @Test("a value that waited, was written over and left its stamp in the history doesn't share it with a later one")
  func writtenOverWhileWaiting() {
    var (room, ann, shape) = TestRoom.withShape { $0.clockAheadMilliseconds = 100 }
    room.time += 60_000
    let start = room.time
    room.edit(ann, shape) { $0.name = "Sun" }
    room.settle()
    func reconnect() {
      room.disconnect(ann)
      room.run(ann) { $0.start(at: $1) }
      room.settle()
    }
    // From now on edits wait, because no stored reservation covers their stamps.
    _ = room.hosts[ann].reserve()
    for rotation in [1.0, 2] {
      room.time += 1_000
      reconnect()
      room.edit(ann, shape) { $0.rotation = rotation }
      // The server's clock is set back, so the edit gets a new stamp, directly after the newest one in the room.
      room.setServerClock(start - 10_000)
      reconnect()
      #expect(room.hosts[ann].replica.canvas.stamp(of: .rotation, in: shape)?.milliseconds == TestHost.epoch + start)
    }
    func rotation() -> Double? { room.hosts[ann].replica.canvas[shape]?.properties.rotation }
    room.undo(ann)
    #expect(rotation() == 1)
    room.redo(ann)
    #expect(rotation() == 2)
  }
}
