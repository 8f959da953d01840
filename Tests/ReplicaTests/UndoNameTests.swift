import Testing

@testable import CanvasCRDT

@Suite struct UndoNameTests {
  func names(_ room: TestRoom, _ shape: Identifier) -> [Text?] {
    room.hosts.map { ShownNames($0.replica.canvas).name(of: shape) }
  }

  @Test("undoing the first name of a shape leaves a shape without a name, whose name changes with its kind")
  func firstName() {
    var (room, ann, bob) = TestRoom.withAnnAndBob()
    let shape = room.add(ann) { $0.kind = .ellipse }
    let madeUp = [ShapeKind.ellipse, .star, .polygon].map { Shape.madeUpName($0, shape) }
    room.edit(ann, shape) { $0.name = "Sun" }
    room.settle()
    #expect(names(room, shape) == ["Sun", "Sun"])
    room.undo(ann, settles: true)
    #expect(names(room, shape) == [madeUp[0], madeUp[0]])
    for host in [ann, bob] {
      #expect(room.hosts[host].replica.canvas[shape]?.properties.assigned.contains(.name) == false)
    }
    room.edit(bob, shape) { $0.kind = .star }
    room.settle()
    #expect(names(room, shape) == [madeUp[1], madeUp[1]])
    room.edit(ann, shape) { $0.kind = .polygon }
    room.settle()
    #expect(names(room, shape) == [madeUp[2], madeUp[2]])
    // Another person names the shape and undoes that, which leaves the shape without a name.
    room.edit(bob, shape) { $0.name = "Moon" }
    room.undo(bob)
    room.edit(ann, shape) { $0.kind = .ellipse }
    room.settle()
    #expect(names(room, shape) == [madeUp[0], madeUp[0]])
  }

  @Test("an old name that no server takes any more keeps neither a shape from coming back nor older steps from undo")
  func oldName() {
    var (room, ann) = TestRoom.withAnn()
    let shape = Identifier("afy-kw5-t7o")!
    let old = Operation(
      shape: shape,
      at: Stamp(milliseconds: TestHost.epoch, counter: 0, actor: Identifier("abc-abc-abc")!)!,
      set: Properties { ($0.kind, $0.name) = (.star, "Old\u{200B}name") }
    )
    room.hosts[ann].hear(.operations(Delivery(cursor: room.cursor, operations: [old])), at: room.time)
    let other = room.add(ann)
    room.edit(ann, shape) { $0.name = "New" }
    room.run(ann) { $0.delete([shape], at: $1) }
    room.settle()
    room.undo(ann, settles: true)
    #expect(room.hosts[ann].rejected.isEmpty)
    #expect(room.hosts[ann].replica.canvas[shape]?.properties.kind == .star)
    room.undo(ann, settles: true)
    #expect(room.hosts[ann].rejected.isEmpty)
    #expect(room.hosts[ann].replica.canvas[other] == nil)
  }

  @Test("a shape whose name was taken back gives way to one that has the same text as its name")
  func number() {
    var (room, ann) = TestRoom.withAnn()
    let shape = room.add(ann) { $0.kind = .ellipse }
    room.time += 5
    let other = room.add(ann) { $0.name = "Sun" }
    let madeUp = Shape.madeUpName(.ellipse, shape)
    room.edit(ann, other) { $0.name = madeUp }
    let before = names(room, other)
    room.edit(ann, shape) { $0.name = "Moon" }
    #expect(names(room, other) == [madeUp])
    room.undo(ann)
    #expect(names(room, other) == before)
    #expect(names(room, shape) == [madeUp])
  }

  @Test("another shape's made-up name is a name like any other")
  func another() {
    var canvas = Canvas()
    let shape = Identifier("afy-kw5-t7o")!
    for text in ["Ellipse 000", "Ellipse", "t7o", "Ellipse t7o 2", "ellipse t7o"] as [Text] {
      let set = Properties { ($0.kind, $0.name) = (.star, text) }
      let milliseconds = UInt64(text.utf8Count)
      canvas = Canvas()
      canvas.apply(Operation(shape: shape, at: Stamp(milliseconds: milliseconds, counter: 0, actor: shape)!, set: set))
      #expect(canvas[shape]?.baseName == text)
    }
  }
}
