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

  /// How often each situation occurred that this test is about.
  struct Count {
    var undone = 0
    var foreign = 0
    var crossed = 0
  }

  /// Undoes and redoes a step in a copy of the replica, and checks that this changes nothing.
  func check(_ host: Int, in room: TestRoom, _ count: inout Count, _ name: Comment) {
    let now = Moment(wallMilliseconds: TestHost.epoch + room.time, monotonicMilliseconds: room.time)
    let before = room.hosts[host].replica
    var undone = before
    _ = undone.undo(at: now)
    guard undone.canvas != before.canvas else { return }
    count.undone += 1
    for shape in IdentifierSet(before.canvas.operations().map(\.shape)).members {
      for property in before.canvas.registers(of: shape) {
        guard let stamp = before.canvas.stamp(of: property, in: shape), stamp.actor != before.actor else { continue }
        count.foreign += 1
        #expect(undone.canvas.stamp(of: property, in: shape) == stamp, name)
      }
      if !before.canvas.contains(shape), undone.canvas.contains(shape), !before.canvas.registers(of: shape).isEmpty {
        count.crossed += 1
      }
    }
    var redone = undone
    _ = redone.redo(at: now)
    #expect(Picture(redone.canvas) == Picture(before.canvas), name)
    #expect(redone.history.undoable.count == before.history.undoable.count, name)
    #expect(redone.history.redoable.count == before.history.redoable.count, name)
    // A second undo and redo, in case the first pair has left something wrong.
    _ = redone.undo(at: now)
    #expect(Picture(redone.canvas) == Picture(undone.canvas), name)
    _ = redone.redo(at: now)
    #expect(Picture(redone.canvas) == Picture(before.canvas), name)
  }

  func properties(_ random: inout SeededGenerator) -> Properties {
    let number = Int.random(in: 1...9, using: &random)
    var set = Properties()
    switch number {
    case 1: set.name = ["Sun", "Moon"].randomElement(using: &random)!
    case 2: set.kind = ShapeKind.allCases.randomElement(using: &random)!
    case 3: set.fill = Color(packed: UInt32(number))
    case 4, 5: set.alpha = Int16(Int.random(in: 1...4, using: &random))
    default: set.position = Point(x: Double(Int.random(in: 0...5, using: &random)), y: 1)
    }
    return set
  }

  func act(_ host: Int, in room: inout TestRoom, _ random: inout SeededGenerator) {
    let live = room.hosts[host].replica.canvas.shapes.map(\.id)
    let edits = live.shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random)).map { shape in
      ShapeEdit(shape: shape, set: properties(&random))
    }
    switch Int.random(in: 0..<12, using: &random) {
    case 0, 1:
      var set = properties(&random)
      set.kind = ShapeKind.allCases.randomElement(using: &random)!
      _ = room.add(host) { $0 = set }
    case 2, 3: room.run(host) { $0.delete(edits.map(\.shape), at: $1) }
    case 4, 5: room.run(host) { $0.undo(at: $1) }
    case 6: room.run(host) { $0.redo(at: $1) }
    case 7:
      // A step of several writes, which can also delete and restore a shape.
      room.run(host) { replica, now in
        replica.beginGroup()
        var effects = replica.edit(edits, at: now)
        if let shape = live.first, Bool.random(using: &random) {
          effects += replica.delete([shape], at: now)
          var set = Properties()
          set.kind = .star
          if Bool.random(using: &random) { effects += replica.edit([ShapeEdit(shape: shape, set: set)], at: now) }
        }
        replica.endGroup()
        return effects
      }
    default: room.run(host) { $0.edit(edits, at: $1) }
    }
  }

  @Test("undo and redo give back the drawing and the steps, whatever was crossed before", arguments: 0..<6)
  func law(block: Int) {
    var count = Count()
    for offset in 0..<20 {
      let seed = UInt64(block * 20 + offset)
      var random = SeededGenerator(seed: seed)
      var room = TestRoom()
      let people = Int.random(in: 2...3, using: &random)
      for _ in 0..<people { room.join() }
      for step in 0..<40 {
        room.time += UInt64.random(in: 0...3, using: &random)
        act(Int.random(in: 0..<people, using: &random), in: &room, &random)
        if Int.random(in: 0..<3, using: &random) == 0 { room.settle() }
        check(Int.random(in: 0..<people, using: &random), in: room, &count, "seed \(seed), step \(step)")
      }
    }
    #expect(count.undone > 100)
    #expect(count.foreign > 100)
    #expect(count.crossed > 0)
  }

  @Test("a deletion that crossed another's edit is undone and redone alone", arguments: [false, true])
  func crossedDeletion(isEditLater: Bool) {
    var room = TestRoom()
    let ann = room.join()
    let bob = room.join()
    let other = room.add(ann)
    let shape = room.add(ann)
    room.settle()
    room.edit(ann, other) { $0.alpha = 4 }
    if isEditLater {
      room.run(ann) { $0.delete([shape], at: $1) }
      room.time += 5
      room.edit(bob, shape) { $0.position = Point(x: 9, y: 9) }
    } else {
      room.edit(bob, shape) { $0.position = Point(x: 9, y: 9) }
      room.time += 5
      room.run(ann) { $0.delete([shape], at: $1) }
    }
    room.settle()
    // Undoes both steps, and redoes only the deletion. A redo must not also redo the edit of the other shape.
    for round in 0..<3 {
      room.run(ann) { $0.undo(at: $1) }
      room.settle()
      let position = room.hosts[bob].replica.canvas[shape]?.properties.position
      #expect(position == (isEditLater ? Point(x: 9, y: 9) : Point(x: 0, y: 0)), "round \(round)")
      #expect(room.hosts[bob].replica.canvas[other]?.properties.alpha == 4)
      room.run(ann) { $0.redo(at: $1) }
      room.settle()
      #expect(room.hosts[bob].replica.canvas[shape] == nil)
      #expect(room.hosts[bob].replica.canvas[other]?.properties.alpha == 4)
      #expect(!room.hosts[ann].replica.canRedo)
    }
  }

  @Test("redoing a deletion goes no further when it has deleted, although others' steps lie above")
  func noFurther() {
    var room = TestRoom()
    let ann = room.join()
    let bob = room.join()
    let shape = room.add(ann)
    let other = room.add(ann)
    room.settle()
    room.run(ann) { $0.delete([shape], at: $1) }
    room.time += 5
    room.edit(bob, shape) { $0.alpha = 2 }
    room.settle()
    room.edit(ann, other) { $0.alpha = 4 }
    for _ in 0..<2 { room.run(ann) { $0.undo(at: $1) } }
    room.settle()
    room.run(ann) { $0.redo(at: $1) }
    room.settle()
    #expect(room.hosts[bob].replica.canvas[shape] == nil)
    #expect(room.hosts[bob].replica.canvas[other]?.properties.alpha == 10)
    room.run(ann) { $0.redo(at: $1) }
    room.settle()
    #expect(room.hosts[bob].replica.canvas[other]?.properties.alpha == 4)
  }

  @Test("steps without an effect that an undo passed over come back with the redo")
  func passedOver() {
    var room = TestRoom()
    let ann = room.join()
    let bob = room.join()
    let shape = room.add(ann)
    room.edit(ann, shape) { $0.alpha = 4 }
    room.edit(ann, shape) { $0.alpha = 4 }
    room.edit(ann, shape) { $0.rotation = 9 }
    room.settle()
    room.edit(bob, shape) { $0.rotation = 10 }
    room.settle()
    for _ in 0..<3 {
      #expect(room.hosts[ann].replica.history.undoable.count == 4)
      room.run(ann) { $0.undo(at: $1) }
      #expect(room.hosts[ann].replica.canvas[shape]?.properties.alpha == 10)
      room.run(ann) { $0.redo(at: $1) }
      #expect(room.hosts[ann].replica.canvas[shape]?.properties.alpha == 4)
      #expect(room.hosts[ann].replica.canvas[shape]?.properties.rotation == 10)
      #expect(!room.hosts[ann].replica.canRedo)
    }
  }
}
