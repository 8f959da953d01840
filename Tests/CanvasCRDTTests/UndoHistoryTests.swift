import Testing

@testable import CanvasCRDT

@Suite struct UndoHistoryTests {
  /// A canvas with two people, of whom only one has an undo history.
  struct Desk {
    var canvas = Canvas()
    var history = UndoHistory()
    var clock = Clock(actor: Identifier("aaa-aaa-aaa")!)
    var time: UInt64 = 1_000

    mutating func write(_ shape: Identifier, _ assign: (inout Properties) -> Void) {
      var set = Properties()
      assign(&set)
      time += 1
      _ = history.apply(Operation(shape: shape, at: clock.tick(milliseconds: time), set: set), to: &canvas)
    }

    mutating func someoneWrites(_ shape: Identifier, _ assign: (inout Properties) -> Void) {
      time += 1
      let stamp = Stamp(milliseconds: time, counter: 0, actor: Identifier("zzz-zzz-zzz")!)!
      canvas.apply(Operation(shape: shape, at: stamp, set: Properties(assign)))
      clock.observe(stamp)
    }

    @discardableResult
    mutating func undo(onlyNewest: Bool = false) -> Int {
      let operations = history.undo(onlyNewest: onlyNewest, on: canvas, clock: &clock, milliseconds: time)
      for operation in operations { canvas.apply(operation) }
      return operations.count
    }

    @discardableResult
    mutating func redo() -> Int {
      let operations = history.redo(on: canvas, clock: &clock, milliseconds: time)
      for operation in operations { canvas.apply(operation) }
      return operations.count
    }

    /// What a person sees of the canvas: the values without their stamps.
    var picture: [Shaped] {
      canvas.shapes.map { shape in
        var values = shape.properties
        values.name = shape.baseName
        values.assigned = .all
        return Shaped(id: shape.id, values: values)
      }
    }
  }

  struct Shaped: Hashable {
    let id: Identifier
    let values: Properties
  }

  let shape = Identifier("afy-kw5-t7o")!

  func desk() -> Desk {
    var desk = Desk()
    desk.write(shape) { ($0.kind, $0.position) = (.ellipse, Point(x: 10, y: 20)) }
    return desk
  }

  @Test("undoing an edit writes the value before, and redoing it the value after, as often as one likes")
  func editRoundTrip() {
    var desk = desk()
    desk.write(shape) { $0.position = Point(x: 30, y: 40) }
    for _ in 0..<5 {
      #expect(desk.undo() == 1)
      #expect(desk.canvas[shape]?.properties.position == Point(x: 10, y: 20))
      #expect(desk.redo() == 1)
      #expect(desk.canvas[shape]?.properties.position == Point(x: 30, y: 40))
    }
  }

  @Test("the history knows the stamp of each edit in it, also of the newest")
  func stamps() {
    var desk = desk()
    desk.write(shape) { $0.position = Point(x: 30, y: 40) }
    #expect(desk.history.stamps(by: Identifier("aaa-aaa-aaa")!, after: 0).count == 2)
  }

  @Test("a default that was written by hand is redone like any other value")
  func explicitDefault() {
    var desk = desk()
    desk.write(shape) { $0.isLocked = false }
    desk.write(shape) { $0.isLocked = true }
    for _ in 0..<3 {
      while desk.undo() > 0 {}
      #expect(desk.canvas[shape] == nil)
      while desk.redo() > 0 {}
      #expect(desk.canvas[shape]?.properties.isLocked == true)
      #expect(!desk.history.canRedo)
    }
  }

  @Test("shapes of one name that come back together show the numbers that they had")
  func namesComeBack() {
    var desk = Desk()
    // The shapes are named in the reverse order of their identifiers.
    let shapes = ["zzz-000-001", "mmm-000-001", "aaa-000-001"].map { Identifier($0)! }
    for shape in shapes {
      desk.write(shape) { ($0.kind, $0.name) = (.star, "Sun") }
    }
    func names() -> [Text?] {
      let names = ShownNames(desk.canvas)
      return shapes.map { names.name(of: $0) }
    }
    #expect(names() == ["Sun", "Sun 2", "Sun 3"])
    desk.history.beginGroup()
    for shape in desk.canvas.shapes.map({ $0.id }) { desk.write(shape) { $0.delete() } }
    desk.history.endGroup()
    #expect(desk.undo() == 3)
    #expect(names() == ["Sun", "Sun 2", "Sun 3"])
    desk.redo()
    desk.undo()
    #expect(names() == ["Sun", "Sun 2", "Sun 3"])
  }

  @Test("a drag of 200 edits in a group is one step")
  func groupIsOneStep() {
    var desk = desk()
    desk.history.beginGroup()
    for step in 0..<200 { desk.write(shape) { $0.position = Point(x: Double(step), y: 0) } }
    desk.history.endGroup()
    #expect(desk.undo() == 1)
    #expect(desk.canvas[shape]?.properties.position == Point(x: 10, y: 20))
    desk.redo()
    #expect(desk.canvas[shape]?.properties.position == Point(x: 199, y: 0))
  }

  @Test("a register that someone else has written since is left alone, and the others of the step are not")
  func othersAreLeftAlone() {
    var desk = desk()
    desk.write(shape) { ($0.position, $0.rotation) = (Point(x: 30, y: 40), 45) }
    desk.someoneWrites(shape) { $0.position = Point(x: 99, y: 99) }
    desk.undo()
    #expect(desk.canvas[shape]?.properties.position == Point(x: 99, y: 99))
    #expect(desk.canvas[shape]?.properties.rotation == 0)
  }

  @Test("a shape that someone else has locked since is left alone, but for its lock, and the step's others are not")
  func lockedSince() {
    let other = Identifier("bfy-kw5-t7o")!
    var desk = desk()
    desk.write(other) { $0.kind = .star }
    desk.history.beginGroup()
    for shape in [shape, other] { desk.write(shape) { $0.rotation = 45 } }
    desk.history.endGroup()
    func rotations() -> [Double?] { [shape, other].map { desk.canvas[$0]?.properties.rotation } }
    desk.someoneWrites(shape) { $0.isLocked = true }
    desk.undo()
    #expect(rotations() == [45, 0])
    desk.redo()
    #expect(rotations() == [45, 45])
    desk.undo()
    desk.someoneWrites(other) { $0.isLocked = true }
    #expect(desk.redo() == 0)
    #expect(rotations() == [45, 0])
  }

  @Test("steps on a shape that is locked for a while stay on their list, and meanwhile others are undone and redone")
  func lockedForAWhile() {
    let other = Identifier("bfy-kw5-t7o")!
    var desk = desk()
    desk.write(other) { $0.kind = .star }
    desk.write(shape) { $0.rotation = 45 }
    desk.write(shape) { $0.alpha = 4 }
    let after = desk.picture
    desk.someoneWrites(shape) { $0.isLocked = true }
    #expect(desk.undo(onlyNewest: true) == 0)
    #expect(desk.canvas[other] != nil)
    #expect([desk.undo(), desk.undo(), desk.undo()] == [1, 0, 0])
    #expect(desk.canvas[other] == nil)
    desk.someoneWrites(shape) { $0.isLocked = false }
    #expect([desk.undo(), desk.undo(), desk.undo()] == [1, 1, 0])
    #expect(desk.canvas[shape]?.properties.rotation == 0)
    #expect(desk.canvas[shape]?.properties.alpha == 10)
    desk.someoneWrites(shape) { $0.isLocked = true }
    #expect([desk.redo(), desk.redo()] == [1, 0])
    desk.someoneWrites(shape) { $0.isLocked = false }
    #expect([desk.redo(), desk.redo(), desk.redo()] == [1, 1, 0])
    #expect(desk.picture == after)
  }

  @Test("what someone locked before the step is undone, as is one's own lock with all that came before it")
  func lockedBefore() {
    var desk = desk()
    desk.someoneWrites(shape) { $0.isLocked = true }
    desk.write(shape) { $0.alpha = 4 }
    desk.write(shape) { $0.isLocked = false }
    desk.write(shape) { $0.rotation = 45 }
    desk.write(shape) { $0.isLocked = true }
    let after = desk.picture
    for _ in 0..<2 {
      for _ in 0..<4 { #expect(desk.undo() == 1) }
      #expect(desk.canvas[shape]?.properties.isLocked == true)
      #expect(desk.canvas[shape]?.properties.alpha == 10)
      for _ in 0..<4 { #expect(desk.redo() == 1) }
      #expect(desk.picture == after)
    }
  }

  @Test("undoing one's own edit over someone else's does not lead to undoing theirs")
  func theirsUnderMine() {
    var desk = desk()
    desk.write(shape) { $0.rotation = 1 }
    desk.someoneWrites(shape) { $0.rotation = 2 }
    desk.write(shape) { $0.rotation = 3 }
    desk.undo()
    #expect(desk.canvas[shape]?.properties.rotation == 2)
    desk.undo()
    #expect(desk.canvas[shape]?.properties.rotation == 2)
  }

  @Test("a register that had no value gets its default, and a name the one made up for the shape")
  func defaults() {
    var desk = desk()
    desk.write(shape) { ($0.fill, $0.name) = (Color(packed: 0x123456), "Mine") }
    desk.undo()
    #expect(desk.canvas[shape]?.properties.fill == Properties().fill)
    #expect(desk.canvas[shape]?.baseName == "Ellipse t7o")
    desk.redo()
    #expect(desk.canvas[shape]?.baseName == "Mine")
  }

  @Test("undoing a creation deletes the shape, and redoing it brings back all that it was made with")
  func creation() {
    var desk = desk()
    let before = desk.picture
    desk.undo()
    #expect(desk.canvas[shape] == nil)
    desk.redo()
    #expect(desk.picture == before)
  }

  @Test("a creation is left alone when someone else has changed the shape, whatever register it was")
  func creationTouchedByOthers() {
    var desk = desk()
    desk.someoneWrites(shape) { $0.fill = Color(packed: 1) }
    #expect(desk.undo() == 0)
    #expect(desk.canvas[shape] != nil)
  }

  @Test("undoing a deletion writes the shape anew with every register that it had")
  func deletion() {
    var desk = desk()
    desk.write(shape) { $0.name = "Mine" }
    desk.someoneWrites(shape) { $0.alpha = 3 }
    let before = desk.picture
    desk.write(shape) { $0.delete() }
    for _ in 0..<3 {
      desk.undo()
      #expect(desk.picture == before)
      desk.redo()
      #expect(desk.canvas[shape] == nil)
    }
  }

  @Test("undoing a deletion that the room has forgotten brings the shape back too, and undoes nothing older")
  func forgottenDeletion() {
    var desk = desk()
    desk.write(shape) { $0.alpha = 4 }
    let before = desk.picture
    desk.write(shape) { $0.delete() }
    for _ in 0..<2 {
      desk.canvas.forgetErasures(before: .max)
      #expect(desk.undo() == 1)
      #expect(desk.picture == before)
      desk.canvas.forgetErasures(before: .max)
      #expect(desk.redo() == 1)
      #expect(desk.canvas[shape] == nil)
    }
    desk.undo()
    desk.undo()
    #expect(desk.canvas[shape]?.properties.alpha == 10)
  }

  @Test("a deletion is left alone when someone else has erased again, or brought the shape back")
  func deletionTouchedByOthers() {
    var erased = desk()
    erased.write(shape) { $0.delete() }
    erased.someoneWrites(shape) { $0.delete() }
    erased.undo()
    #expect(erased.canvas[shape] == nil)

    var revived = desk()
    revived.write(shape) { $0.delete() }
    revived.someoneWrites(shape) { $0.kind = .star }
    revived.undo()
    #expect(revived.canvas[shape]?.properties.kind == .star)
    #expect(revived.canvas[shape]?.properties.position == Properties().position)
  }

  @Test("redoing a deletion spares what someone has changed meanwhile")
  func redoSparesOthers() {
    var desk = desk()
    desk.write(shape) { $0.delete() }
    desk.undo()
    desk.someoneWrites(shape) { $0.alpha = 2 }
    #expect(desk.redo() == 0)
    #expect(desk.canvas[shape]?.properties.alpha == 2)
  }

  @Test("a step that can no longer change anything is skipped")
  func passedOver() {
    var desk = desk()
    desk.write(shape) { $0.alpha = 4 }
    desk.write(shape) { $0.rotation = 9 }
    desk.someoneWrites(shape) { $0.rotation = 10 }
    var careful = desk
    #expect(desk.undo() == 1)
    #expect(desk.canvas[shape]?.properties.alpha == 10)
    #expect(desk.canvas[shape]?.properties.rotation == 10)
    // Whoever wants the newest step alone undone doesn't get an older one undone instead.
    #expect(careful.undo(onlyNewest: true) == 0 && !careful.history.canRedo)
    #expect(careful.canvas[shape]?.properties.alpha == 4)
    #expect(careful.undo(onlyNewest: true) == 1)
    #expect(careful.canvas[shape]?.properties.alpha == 10)
  }

  @Test("a gesture that isn't over can be undone already, and there is nothing to redo meanwhile")
  func openGesture() {
    var desk = Desk()
    desk.history.beginGroup()
    #expect(!desk.history.canUndo)
    desk.write(shape) { $0.kind = .star }
    #expect(desk.history.canUndo && !desk.history.canRedo)
    #expect(desk.undo() == 1 && !desk.history.canUndo && desk.history.canRedo)
    // Undoing ends the gesture, and its own end comes later.
    desk.history.endGroup()
    for _ in 0..<2 { desk.write(shape) { $0.kind = .star } }
    #expect(desk.history.undoable.count == 2)
  }

  @Test("what one wrote as the last hundred actors that one was counts as one's own, and nothing that came after it")
  func formerActors() {
    var history = UndoHistory()
    let last = (0...UndoHistory.formerMax).map { Stamp(time: 1_000, actor: Identifier(packed: UInt64($0))!) }
    for stamp in last { history.leave(stamp) }
    #expect(!history.isFormer(last[0]))
    for stamp in last.dropFirst() {
      #expect(history.isFormer(stamp) && history.isFormer(Stamp(time: 1, actor: stamp.actor)))
      #expect(!history.isFormer(Stamp(time: 1_001, actor: stamp.actor)))
    }
  }

  @Test("a new edit ends what could be redone")
  func newEditClearsRedo() {
    var desk = desk()
    desk.write(shape) { $0.alpha = 4 }
    desk.undo()
    desk.write(shape) { $0.rotation = 9 }
    #expect(!desk.history.canRedo)
    #expect(desk.redo() == 0)
  }

  @Test("the history keeps its newest steps, up to its limit")
  func bounded() {
    var desk = desk()
    for step in 0...(UndoHistory.stepsMax + 50) { desk.write(shape) { $0.rotation = Double(step) } }
    #expect(desk.history.undoable.count == UndoHistory.stepsMax)
    // No answer comes: what can still be refused is bounded, too.
    for _ in 0...UndoHistory.stepsMax / 2 {
      desk.undo()
      desk.redo()
    }
    #expect(desk.history.exchanges.count == UndoHistory.stepsMax)
    while desk.undo() > 0 {}
    #expect(desk.canvas[shape]?.properties.rotation == 50)
  }

  @Test("while the server has not answered a large undo, edits don't look through all that it names, again and again")
  func manyAliases() {
    var desk = Desk()
    var random = SeededGenerator(seed: 1)
    let shapes = (0..<3_000).map { _ in Identifier.random(using: &random) }
    let born = Properties { $0.kind = .rectangle }
    let another = Identifier(packed: 7)!
    for (place, shape) in shapes.enumerated() {
      desk.canvas.apply(Operation(shape: shape, at: Stamp(time: UInt64(place + 1), actor: another), set: born))
    }
    desk.history.beginGroup()
    for shape in shapes { desk.write(shape) { $0.delete() } }
    desk.history.endGroup()
    #expect(desk.undo() == 3_000)
    for step in 1...200 { desk.write(shapes[0]) { $0.rotation = Double(step) } }
    #expect(desk.history.aliases.count == 3_000)
    #expect(desk.history.aliasLooks == 1)
  }

  @Test("a value that an undo has written again stays, though its first write is refused while the shape is deleted")
  func refusedWhileDeleted() {
    var desk = desk()
    let name = Operation(
      shape: shape,
      at: desk.clock.tick(milliseconds: 2_000),
      set: Properties { $0.name = Text("Sun") }
    )
    let (_, replaced) = desk.history.apply(name, to: &desk.canvas)
    desk.write(shape) { $0.delete() }
    desk.undo()
    desk.write(shape) { $0.delete() }
    desk.history.forget(
      RefusedEdits([Outbox.Pending(operation: name, edit: 0, replaced: replaced)]),
      on: desk.canvas
    )
    desk.undo()
    #expect(desk.canvas[shape]?.properties.name == Text("Sun"))
  }

  @Test("steps older than an undo can be undone, though an edit that it passed over is refused")
  func refusedBehindUndo() {
    var desk = desk()
    let there = Properties { $0.position = Point(x: 30, y: 40) }
    desk.write(shape) { $0 = there }
    desk.write(shape) { $0.alpha = 5 }
    desk.write(shape) { $0 = there }
    var without = desk.canvas
    let again = Operation(shape: shape, at: desk.clock.tick(milliseconds: 2_000), set: there)
    let (_, replaced) = desk.history.apply(again, to: &desk.canvas)
    let undone = desk.history.undo(on: desk.canvas, clock: &desk.clock, milliseconds: 2_000)
    for operation in undone { without.apply(operation) }
    desk.canvas = without
    desk.history.forget(RefusedEdits([Outbox.Pending(operation: again, edit: 0, replaced: replaced)]), on: desk.canvas)
    desk.history.settle(shape, on: desk.canvas)
    #expect(desk.canvas[shape]?.properties.alpha == 10)
    #expect(desk.undo() == 1 && desk.canvas[shape]?.properties.position == Point(x: 10, y: 20))
    #expect(desk.redo() == 1 && desk.redo() == 1 && desk.canvas[shape]?.properties.alpha == 5)
    #expect(desk.undo() == 1 && desk.undo() == 1 && desk.canvas[shape]?.properties.position == Point(x: 10, y: 20))
  }

  @Test("huge gestures push out the oldest steps, and only as many as they must")
  func hugeGestures() {
    var canvas = Canvas()
    var history = UndoHistory()
    var clock = Clock(actor: Identifier(packed: 1)!)
    var last: UInt64 = 0
    for count in [60_000, 60_000, 1] {
      history.beginGroup()
      for _ in 0..<count {
        last += 1
        let stamp = clock.tick(milliseconds: 1_000)
        _ = history.apply(Operation(shape: Identifier(packed: last)!, at: stamp, set: .star), to: &canvas)
      }
      history.endGroup()
    }
    #expect(history.undoable.map(\.entries.count) == [60_000, 1])
  }
}
