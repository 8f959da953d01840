import Testing

@testable import CanvasCRDT
@testable import SyncServer

@Suite("Steps that are given up, as when a gesture is cancelled")
struct AbandonedStepTests {
  private func begin(_ room: inout TestRoom) {
    room.run(0) { replica, _ in
      replica.beginGroup()
      return []
    }
  }

  @Test(
    "nothing of it is left, to be seen, undone or redone, and what could be redone before still can",
    arguments: [false, true]
  )
  func abandoned(isSent: Bool) {
    var room = TestRoom()
    let ann = room.join()
    let shape = room.add(ann)
    room.edit(ann, shape) { $0.alpha = 4 }
    room.edit(ann, shape) { $0.rotation = 30 }
    room.run(ann) { $0.undo(at: $1) }
    room.settle()
    let before = room.hosts[ann].replica
    begin(&room)
    let new = room.add(ann)
    room.edit(ann, shape) { $0.position = Point(x: 3, y: 4) }
    room.edit(ann, shape) { $0.position = Point(x: 5, y: 6) }
    room.run(ann) { $0.delete([shape], at: $1) }
    #expect(!room.hosts[ann].replica.canRedo)
    if isSent { room.settle() }
    room.run(ann) { $0.abandonStep(at: $1) }
    room.settle()
    #expect(room.canvas[new] == nil)
    #expect(UndoRedoLawTests.Picture(room.canvas) == UndoRedoLawTests.Picture(before.canvas))
    #expect(room.hosts[ann].replica.history.undoable.count == before.history.undoable.count)
    #expect(room.hosts[ann].replica.canRedo)
    room.run(ann) { $0.redo(at: $1) }
    #expect(room.hosts[ann].replica.canvas[shape]?.properties.rotation == 30)
    for _ in 0..<3 { room.run(ann) { $0.undo(at: $1) } }
    #expect(room.hosts[ann].replica.canvas.liveCount == 0)
    #expect(!room.hosts[ann].replica.canUndo)
    // No group of edits is open any more, so each of these two edits becomes its own undo step.
    _ = room.add(ann)
    _ = room.add(ann)
    #expect(room.hosts[ann].replica.history.undoable.count == 2)
  }

  @Test("if nothing was written, nothing changes, and a step that is finished is not touched")
  func nothingWritten() {
    var room = TestRoom()
    let ann = room.join()
    let shape = room.add(ann)
    room.edit(ann, shape) { $0.alpha = 4 }
    room.run(ann) { $0.undo(at: $1) }
    begin(&room)
    room.run(ann) { $0.abandonStep(at: $1) }
    room.run(ann) { $0.abandonStep(at: $1) }
    #expect(room.hosts[ann].replica.canvas[shape] != nil)
    #expect(room.hosts[ann].replica.canUndo)
    #expect(room.hosts[ann].replica.canRedo)
  }

  @Test("others' writes meanwhile stay")
  func othersWrote() {
    var room = TestRoom()
    let ann = room.join()
    let bob = room.join()
    let shape = room.add(ann)
    room.settle()
    begin(&room)
    room.edit(ann, shape) {
      $0.alpha = 4
      $0.rotation = 30
    }
    room.settle()
    room.time += 5
    room.edit(bob, shape) { $0.rotation = 60 }
    room.settle()
    room.run(ann) { $0.abandonStep(at: $1) }
    room.settle()
    #expect(room.canvas[shape]?.properties.alpha == 10)
    #expect(room.canvas[shape]?.properties.rotation == 60)
  }

  @Test("if the server refuses to take it back, it is a step that can be undone")
  func refused() throws {
    var room = TestRoom()
    let ann = room.join()
    let shape = room.add(ann)
    room.settle()
    begin(&room)
    room.edit(ann, shape) { $0.alpha = 4 }
    room.settle()
    room.run(ann) { $0.abandonStep(at: $1) }
    let sent = try room.hosts[ann].interceptSubmissions()
    room.hand(.rejection(Rejection(id: sent[0].id, operation: 0, code: .quotaExceeded, message: "no more")), to: ann)
    #expect(room.hosts[ann].replica.canvas[shape]?.properties.alpha == 4)
    room.run(ann) { $0.undo(at: $1) }
    room.settle()
    #expect(room.canvas[shape]?.properties.alpha == 10)
  }
}
