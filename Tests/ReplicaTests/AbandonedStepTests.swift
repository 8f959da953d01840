import Testing

@testable import CanvasCRDT
@testable import SyncServer

@Suite("Steps that are given up, as when a gesture is cancelled")
struct AbandonedStepTests {
  @Test(
    "nothing of it is left, to be seen, undone or redone, and what could be redone before still can",
    arguments: [false, true]
  )
  func abandoned(isSent: Bool) {
    var (room, ann) = TestRoom.withAnn()
    let shape = room.add(ann)
    room.edit(ann, shape) { $0.alpha = 4 }
    room.edit(ann, shape) { $0.rotation = 30 }
    room.undo(ann, settles: true)
    let before = room.hosts[ann].replica
    room.beginGroup(ann)
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
    room.redo(ann)
    #expect(room.hosts[ann].replica.canvas[shape]?.properties.rotation == 30)
    for _ in 0..<3 { room.undo(ann) }
    #expect(room.hosts[ann].replica.canvas.liveCount == 0)
    #expect(!room.hosts[ann].replica.canUndo)
    // No group of edits is open any more, so each of these two edits becomes its own undo step.
    _ = room.add(ann)
    _ = room.add(ann)
    #expect(room.hosts[ann].replica.history.undoable.count == 2)
  }

  @Test("a shape that it made and deleted is gone, even if the server refuses that deletion", arguments: [false, true])
  func refusedDeletion(isAllRefused: Bool) throws {
    var (room, ann) = TestRoom.withAnn()
    room.beginGroup(ann)
    let shape = room.add(ann)
    room.settle()
    room.run(ann) { $0.delete([shape], at: $1) }
    let deletion = try room.hosts[ann].interceptSubmissions()
    room.run(ann) { $0.abandonStep(at: $1) }
    let again = isAllRefused ? try room.hosts[ann].interceptSubmissions() : []
    for refused in deletion + again {
      let refusal = Rejection(id: refused.id, operation: 0, code: .quotaExceeded, message: "no more")
      room.hand(.rejection(refusal), to: ann)
    }
    #expect((room.hosts[ann].replica.canvas[shape] != nil) == isAllRefused)
    if isAllRefused { room.undo(ann) }
    room.settle()
    #expect(room.canvas[shape] == nil && room.hosts[ann].replica.canvas[shape] == nil)
  }

  @Test("if the server refuses to take it back, it is a step that can be undone")
  func refused() throws {
    var (room, ann, shape) = TestRoom.withShape()
    room.beginGroup(ann)
    room.edit(ann, shape) { $0.alpha = 4 }
    room.settle()
    room.run(ann) { $0.abandonStep(at: $1) }
    let sent = try room.hosts[ann].interceptSubmissions()
    room.hand(.rejection(Rejection(id: sent[0].id, operation: 0, code: .quotaExceeded, message: "no more")), to: ann)
    #expect(room.hosts[ann].replica.canvas[shape]?.properties.alpha == 4)
    room.undo(ann, settles: true)
    #expect(room.canvas[shape]?.properties.alpha == 10)
  }
}
