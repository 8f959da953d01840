import Testing

@testable import CanvasCRDT

/// An undo followed by a redo changes nothing, whatever other people did before.
@Suite struct UndoRedoLawTests {
  /// What a person sees of the canvas: the values without their stamps.
  struct Picture: Equatable {
    var shapes: [Identifier: Properties] = [:]

    init(_ canvas: Canvas) {
      for shape in canvas.shapes {
        var values = shape.properties
        values.name = shape.baseName
        values.assigned = .all
        shapes[shape.id] = values
      }
    }
  }

  @Test("a deletion that crossed another's edit is undone and redone alone", arguments: [false, true])
  func crossedDeletion(isEditLater: Bool) {
    var (room, ann, bob) = TestRoom.withAnnAndBob()
    let other = room.add(ann)
    let shape = room.add(ann)
    room.settle()
    room.edit(ann, other) { $0.alpha = 4 }
    for isEdit in [!isEditLater, isEditLater] {
      if isEdit { room.edit(bob, shape) { $0.position = Point(x: 9, y: 9) } }
      if !isEdit { room.run(ann) { $0.delete([shape], at: $1) } }
      room.time += 5
    }
    room.settle()
    // Undoes both steps, and redoes only the deletion. A redo must not also redo the edit of the other shape.
    for round in 0..<3 {
      room.undo(ann, settles: true)
      let position = room.hosts[bob].replica.canvas[shape]?.properties.position
      #expect(position == (isEditLater ? Point(x: 9, y: 9) : Point(x: 0, y: 0)), "round \(round)")
      #expect(room.hosts[bob].replica.canvas[other]?.properties.alpha == 4)
      room.redo(ann, settles: true)
      #expect(room.hosts[bob].replica.canvas[shape] == nil)
      #expect(room.hosts[bob].replica.canvas[other]?.properties.alpha == 4)
      #expect(!room.hosts[ann].replica.canRedo)
    }
  }

  @Test("redoing a deletion goes no further when it has deleted, although others' steps lie above")
  func noFurther() {
    var (room, ann, bob) = TestRoom.withAnnAndBob()
    let shape = room.add(ann)
    let other = room.add(ann)
    room.settle()
    room.run(ann) { $0.delete([shape], at: $1) }
    room.time += 5
    room.edit(bob, shape) { $0.alpha = 2 }
    room.settle()
    room.edit(ann, other) { $0.alpha = 4 }
    for _ in 0..<2 { room.undo(ann) }
    room.settle()
    room.redo(ann, settles: true)
    #expect(room.hosts[bob].replica.canvas[shape] == nil)
    #expect(room.hosts[bob].replica.canvas[other]?.properties.alpha == 10)
    room.redo(ann, settles: true)
    #expect(room.hosts[bob].replica.canvas[other]?.properties.alpha == 4)
  }

  @Test("steps without an effect that an undo passed over come back with the redo")
  func passedOver() {
    var (room, ann, bob, shape) = TestRoom.withTwo()
    room.edit(ann, shape) { $0.alpha = 4 }
    room.edit(ann, shape) { $0.alpha = 4 }
    room.edit(ann, shape) { $0.rotation = 9 }
    room.settle()
    room.edit(bob, shape) { $0.rotation = 10 }
    room.settle()
    for _ in 0..<3 {
      #expect(room.hosts[ann].replica.history.undoable.count == 4)
      room.undo(ann)
      #expect(room.hosts[ann].replica.canvas[shape]?.properties.alpha == 10)
      room.redo(ann)
      #expect(room.hosts[ann].replica.canvas[shape]?.properties.alpha == 4)
      #expect(room.hosts[ann].replica.canvas[shape]?.properties.rotation == 10)
      #expect(!room.hosts[ann].replica.canRedo)
    }
  }
}
