import Testing

@testable import CanvasCRDT

@Suite("Taking back all that one actor wrote")
struct TakingBackTests {
  private let ann = Identifier(packed: 11)!
  private let eve = Identifier(packed: 66)!
  private let shape = Identifier(packed: 1)!

  private struct Write {
    let actor: Identifier
    let set: Properties
  }

  private func write(_ actor: Identifier, _ change: (inout Properties) -> Void) -> Write {
    return Write(actor: actor, set: Properties(change))
  }

  /// Applies writes to one shape in order, and then takes back Eve's writes. Returns the edit that takes them back, and
  /// the resulting canvas.
  private func takenBack(_ writes: [Write]) -> (edit: Properties?, canvas: Canvas) {
    var room = Canvas()
    var without = Canvas()
    for (index, write) in writes.enumerated() {
      let operation = Operation(shape: shape, at: stamp(index, write.actor), set: write.set)
      room.apply(operation)
      if write.actor != eve { without.apply(operation) }
    }
    let edit = room.takingBack(eve, from: shape, asOn: without)
    if let edit { room.apply(Operation(shape: shape, at: stamp(writes.count, ann), set: edit)) }
    // The canvas must look as if Eve had never written.
    #expect(room.contains(shape) == without.contains(shape))
    if let shown = room[shape]?.properties, let wanted = without[shape]?.properties {
      for property in PropertyMask.registers { #expect(shown.agrees(on: property, with: wanted)) }
    }
    return (edit, room)
  }

  private func stamp(_ index: Int, _ actor: Identifier) -> Stamp {
    Stamp(milliseconds: 1_000 + UInt64(index), counter: 0, actor: actor)!
  }

  @Test("a shape that she made goes, whoever has moved it since")
  func made() {
    let (edit, canvas) = takenBack([
      write(eve) { $0.kind = .star }, write(ann) { $0.position = Point(x: 5, y: 5) },
    ])
    #expect(edit?.deleted == true && canvas.liveCount == 0)
  }

  @Test("H16: her writes to a shape that isn't there go too, unless others have written to it")
  func unseen() {
    let never = takenBack([write(eve) { $0.alpha = 1 }])
    #expect(never.edit?.deleted == true && never.canvas.shapeCount == 0)
    let late = takenBack([
      write(ann) { $0.kind = .star }, write(ann) { $0.delete() }, write(eve) { $0.alpha = 1 },
    ])
    #expect(late.edit?.deleted == true && late.canvas.shapeCount == 0)
    #expect(takenBack([write(eve) { $0.alpha = 1 }, write(ann) { $0.rotation = 5 }]).edit == nil)
  }

  @Test("a shape that she deleted is there again, with what it had")
  func deleted() {
    let (edit, canvas) = takenBack([
      write(ann) { ($0.kind, $0.rotation) = (.star, 30) },
      write(eve) { $0.delete() },
    ])
    #expect(edit?.assigned == [.kind, .rotation] && canvas.liveCount == 1)
    let late = takenBack([
      write(ann) { $0.kind = .star }, write(eve) { $0.delete() }, write(eve) { $0.alpha = 3 },
    ])
    #expect(late.edit?.assigned == [.kind, .alpha], "what she wrote to it since doesn't come back with it")
  }

  @Test("a value that she wrote becomes what it was, or the default where there was none")
  func overwritten() {
    let (edit, canvas) = takenBack([
      write(ann) { ($0.kind, $0.rotation) = (.rectangle, 30) },
      write(eve) { ($0.rotation, $0.alpha, $0.name) = (60, 3, "Eve") },
    ])
    #expect(edit?.assigned == [.rotation, .alpha, .name] && edit?.rotation == 30 && edit?.alpha == 10)
    #expect(canvas[shape]?.properties.rotation == 30)
  }

  @Test("others' later writes stay")
  func writtenSince() {
    let (edit, _) = takenBack([
      write(ann) { $0.kind = .rectangle }, write(eve) { $0.rotation = 60 }, write(ann) { $0.rotation = 90 },
    ])
    #expect(edit == nil)
  }

  @Test("a shape that she deleted and drew anew has again what it had before that")
  func drawnAnew() {
    let (edit, canvas) = takenBack([
      write(ann) { ($0.kind, $0.rotation, $0.alpha) = (.rectangle, 30, 4) },
      write(eve) { $0.delete() },
      write(eve) { ($0.kind, $0.alpha) = (.star, 4) },
    ])
    #expect(edit?.assigned == [.kind, .rotation] && canvas[shape]?.properties.kind == .rectangle)
  }

  @Test("shapes that somebody else has deleted stay deleted")
  func deletedByOthers() {
    let (edit, _) = takenBack([
      write(ann) { $0.kind = .rectangle }, write(eve) { $0.rotation = 60 }, write(ann) { $0.delete() },
    ])
    #expect(edit == nil)
  }

  @Test("of a canvas whose history is gone, the shapes that she made go, and those of others stay as they are")
  func withoutHistory() {
    var room = Canvas()
    func write(_ number: UInt64, _ time: Int, _ actor: Identifier, _ change: (inout Properties) -> Void) {
      room.apply(Operation(shape: Identifier(packed: number)!, at: stamp(time, actor), set: Properties(change)))
    }
    write(1, 1, eve) { $0.kind = .star }
    write(1, 2, ann) { $0.rotation = 5 }
    write(2, 1, ann) { ($0.kind, $0.rotation) = (.star, 5) }
    write(2, 3, eve) { $0.kind = .rectangle }
    write(3, 1, ann) { $0.kind = .star }
    write(3, 2, eve) { $0.delete() }
    let rest = room.withoutShapes(of: eve, seed: 1)
    #expect(rest.shapes.map { $0.id.packed } == [2])
    #expect(rest[Identifier(packed: 2)!]?.properties.kind == .rectangle)
    #expect(rest.stamp(of: .deleted, in: Identifier(packed: 3)!) == stamp(2, eve))
    #expect(room.takingBack(eve, from: Identifier(packed: 1)!, asOn: rest)?.deleted == true)
    #expect(room.takingBack(eve, from: Identifier(packed: 2)!, asOn: rest) == nil)
  }
}

@Suite("Forgetting some erasures")
struct ForgettingSomeTests {
  private func canvas(erasedAt times: [UInt64]) -> Canvas {
    var canvas = Canvas()
    for (index, time) in times.enumerated() {
      let set = Properties.deletion
      let stamp = Stamp(milliseconds: time, counter: 0, actor: Identifier(packed: 5)!)!
      canvas.apply(Operation(shape: Identifier(packed: UInt64(index))!, at: stamp, set: set), place: UInt64(index) + 1)
    }
    return canvas
  }

  @Test("a part is forgotten now and the rest later; the place of the newest one forgotten is known")
  func inParts() {
    var canvas = canvas(erasedAt: [1_000, 1_001, 1_002, 9_000])
    #expect(canvas.forgetErasures(before: 2_000, atMost: 2) == 2)
    #expect(canvas.erasureCount == 2 && canvas.forgottenUpTo == 2)
    #expect(canvas.forgetErasures(before: 2_000, atMost: 2) == 1)
    #expect(canvas.erasureCount == 1 && canvas.forgottenUpTo == 3)
  }

  @Test("the time before which the oldest lie is found, however unevenly they lie", arguments: [0, 1, 10, 500, 999])
  func timeOfTheOldest(left: Int) throws {
    let spreads: [[UInt64]] = [
      (0..<1_000).map { $0 },
      (0..<1_000).map { $0 < 10 ? $0 : 2_000_000_000 + $0 },
      (0..<1_000).map { $0 * $0 * 1_000 },
      // A hundred at a time, minutes after each other, and a long time between.
      (0..<1_000).map { $0 / 100 * 1_000_000_000 + $0 % 100 * 1_000 },
    ]
    var random = SeededGenerator(seed: 1)
    for times in spreads {
      var canvas = canvas(erasedAt: times.shuffled(using: &random))
      let time = try #require(canvas.timeOfErasures(leaving: left))
      canvas.forgetErasures(before: time)
      #expect(canvas.erasureCount <= left && canvas.erasureCount >= left - 1_000 / 16 - 1)
    }
  }

  @Test("those of one millisecond go together, and where there are few enough none go")
  func together() {
    var canvas = canvas(erasedAt: [UInt64](repeating: 7_000, count: 100))
    #expect(canvas.timeOfErasures(leaving: 100) == nil)
    #expect(canvas.timeOfErasures(leaving: 99) == 7_001)
    #expect(canvas.forgetErasures(before: 7_001) == 100)
    #expect(canvas.timeOfErasures(leaving: 0) == nil)
  }
}
