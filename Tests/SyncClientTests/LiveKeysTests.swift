import TerminalCanvas
import TestSupport
import Testing

@testable import CanvasCRDT
@testable import sync_client

/// What the keys do on the live canvas.
@Suite struct LiveKeysTests {
  private let square = Rect(0, 0, 100, 100)
  private let beside = Rect(200, 0, 100, 100)
  private let blue = Color(packed: 0x336699)

  @Test @ClientLoop func `Keys turn and scale what is selected, and make it fainter`() throws {
    let desk = try Desk()
    desk.live.select([desk.draw("Box", square)])
    let turns = ["]", "}", "[", "{", "{"].map { desk.after($0).rotation }
    #expect(turns == [15, 16, 1, 0, 359])
    let larger = desk.after(">")
    #expect(larger.size == Size(width: 110, height: 110) && larger.position == Point(x: -5, y: -5))
    let smaller = desk.after("<<")
    #expect(smaller.size == Size(width: 90.9, height: 90.9) && (smaller.position.x - 4.5).magnitude < 0.1)
    let alphas = [",", ",,,,,,,,,,", "..", "..........."].map { desk.after($0).alpha }
    #expect(alphas == [9, 1, 3, 10])
  }

  @Test @ClientLoop func `Keys change the outline, the fill and the colour`() throws {
    let desk = try Desk()
    desk.live.select([desk.draw("Box", square) { $0.fill = self.blue }])
    let outlined = desk.after("w")
    #expect(outlined.strokeWidth == 4 && outlined.stroke == blue.covered(by: Color(packed: 0), part: 0.55))
    let widths = ["w", "w"].map { desk.after($0).strokeWidth }
    #expect(widths == [12, 0])
    let emptied = desk.after("v")
    #expect(!emptied.isFilled && emptied.strokeWidth == 4 && emptied.stroke == blue)
    let filled = desk.after("v")
    #expect(filled.isFilled && filled.fill == blue && filled.strokeWidth == 4)
    // A shape has a fill or an outline, so that it is seen.
    let bare = desk.after("vww")
    #expect(bare.isFilled && bare.strokeWidth == 0)
    let coloured = desk.after("vc")
    #expect(coloured.isFilled && coloured.fill != blue)
    let way = desk.draw("Way", square, .line) { $0.strokeWidth = 4 }
    desk.live.select([way])
    let before = desk.selected
    let line = ["w", "w", "w"].map { desk.after($0).strokeWidth }
    #expect(line == [12, 2, 4])
    let painted = desk.after("vc")
    #expect(painted.stroke != before.stroke && painted.fill == before.fill && painted.isFilled == before.isFilled)
  }

  @Test @ClientLoop func `A key hides all that is selected, and only if nothing of it is seen, shows it`() throws {
    let desk = try Desk()
    let boxes = [desk.draw("Seen", square), desk.draw("Hidden", beside) { $0.visible = false }]
    desk.live.select(boxes)
    for expected in [false, true] {
      desk.press("h")
      #expect(boxes.map { desk.shape($0).visible } == [expected, expected])
    }
    // So it is with locks: all get one, and all lose it.
    desk.write(boxes[0]) { $0.isLocked = true }
    for expected in [true, false] {
      desk.press("k")
      #expect(boxes.map { desk.shape($0).isLocked } == [expected, expected])
    }
  }

  @Test @ClientLoop func `S12: no key changes a locked shape, and the user is told why`() throws {
    let desk = try Desk()
    let box = desk.draw("Box", square) { $0.isLocked = true }
    desk.draw("Lid", beside)
    desk.live.select([box])
    let before = desk.live.canvas
    for key in ["]", ">", ",", "w", "v", "h", "c", "x", "G"] {
      desk.live.notice = nil
      desk.press(key)
      let said = key == "G" ? "Select several shapes to group them." : "Box is locked: k unlocks what is selected."
      #expect(desk.notice == said, "\(key)")
    }
    for key in [Key.right, .home, .pageUp, .delete, .enter] {
      desk.live.notice = nil
      desk.press(key)
      #expect(desk.notice == "Box is locked: k unlocks what is selected.", "\(key)")
    }
    #expect(desk.live.canvas[box] == before[box] && desk.names == ["Box", "Lid"] && desk.live.prompt == nil)
  }

  @Test @ClientLoop func `S13: a key groups several shapes, and ungroups those that are one group`() throws {
    let desk = try Desk()
    let shapes = (0..<3).map { desk.draw(Text("\($0)"), Rect(Double(200 * $0), 0, 100, 100)) }
    func groups() -> Set<Identifier?> { Set(shapes.map { desk.shape($0).group }) }
    desk.live.select([shapes[0]])
    desk.press("G")
    #expect(desk.notice == "Select several shapes to group them." && groups() == [nil])
    desk.live.select([shapes[0], shapes[1]])
    desk.press("G")
    #expect(groups().count == 2 && desk.shape(shapes[0]).group == desk.shape(shapes[1]).group)
    // A shape that joins them gets into one group with them.
    desk.live.select(shapes)
    desk.press("G")
    #expect(groups().count == 1 && groups() != [nil])
    desk.write(shapes[2]) { $0.isLocked = true }
    #expect(desk.live.group(of: shapes[0]) == [shapes[0], shapes[1]] && desk.live.group(of: shapes[2]) == shapes)
    desk.write(shapes[2]) { $0.isLocked = false }
    desk.press("G")
    #expect(groups() == [nil])
    #expect(desk.live.group(of: shapes[0]) == [shapes[0]])
  }

  @Test @ClientLoop func `Arrows move what is selected, or else the view`() throws {
    let desk = try Desk()
    let box = desk.draw("Box", square)
    desk.live.select([box])
    desk.settle()
    for (key, modifiers, place) in [
      (.right, [], Point(x: 10, y: 0)), (.down, [], Point(x: 10, y: 10)), (.left, .shift, Point(x: 9, y: 10)),
      (.up, .shift, Point(x: 9, y: 9)),
    ] as [(Key, Modifiers, Point)] {
      desk.press(key, modifiers)
      #expect(desk.selected.position == place && desk.live.view.origin == Point(x: 0, y: 0))
    }
    for (key, modifiers, place) in [
      (.right, .alt, Point(x: 32, y: 0)), (.down, .control, Point(x: 32, y: 32)), (.left, .alt, Point(x: 0, y: 32)),
    ] as [(Key, Modifiers, Point)] {
      desk.live.followed = Desk.bob
      desk.press(key, modifiers)
      #expect(desk.live.view.origin == place && desk.live.followed == nil)
    }
    desk.live.select([])
    desk.press(.up)
    #expect(desk.live.view.origin == Point(x: 0, y: 0) && desk.shape(box).position == Point(x: 9, y: 9))
  }

  @Test @ClientLoop func `Keys zoom, and whoever moves the view follows nobody any more`() throws {
    let desk = try Desk()
    desk.draw("Wide", Rect(0, 0, 4_000, 100))
    desk.settle()
    for (keys, percent) in [("+", 125), ("=", 156), ("-", 125), ("_", 100), ("++1", 100)] {
      desk.live.followed = Desk.bob
      desk.press(keys)
      #expect(desk.live.view.percent == percent && desk.live.followed == nil, "\(keys)")
    }
    desk.live.followed = Desk.bob
    desk.press("0")
    #expect(desk.live.view.visibleBox.contains(Rect(0, 0, 4_000, 100)) && desk.live.followed == nil)
  }

  @Test @ClientLoop func `Keys change the order of drawing`() throws {
    let desk = try Desk()
    let shapes = ["a", "b", "c"].map { desk.draw(Text($0), square) }
    desk.live.select([shapes[0]])
    for (key, order) in [(.pageUp, "bac"), (.end, "abc"), (.home, "bca"), (.pageDown, "bac")] as [(Key, String)] {
      desk.press(key)
      #expect(desk.names.joined() == order)
    }
  }

  @Test @ClientLoop func `Tab selects the next shape that is seen, and brings it into the view`() throws {
    let desk = try Desk()
    desk.press(.tab)
    #expect(desk.live.selection.isEmpty)
    let first = desk.draw("First", square)
    desk.draw("Hidden", square) { $0.visible = false }
    let far = desk.draw("Far", Rect(90_000, 0, 100, 100))
    desk.settle()
    let forwards = (0..<3).map { _ -> [Identifier] in
      desk.press(.tab)
      return desk.live.selection
    }
    #expect(forwards == [[first], [far], [first]])
    #expect(desk.live.view.visibleBox.intersects(square))
    desk.press(.tab, .shift)
    #expect(desk.live.selection == [far] && desk.live.view.visibleBox.contains(Rect(90_000, 0, 100, 100)))
    desk.live.select([])
    desk.press(.tab, .shift)
    #expect(desk.live.selection == [far])
  }

  @Test @ClientLoop func `Keys add shapes where the mouse is, each selected and beside the others`() throws {
    let desk = try Desk()
    desk.settle()
    let size = Size(width: 140, height: 140)
    let wide = Size(width: 150, height: 120)
    for (key, kind, size) in [
      ("r", .rectangle, wide), ("o", .roundedRectangle, wide), ("e", .ellipse, size), ("p", .polygon, size),
      ("s", .star, size),
    ] as [(String, ShapeKind, Size)] {
      let added = desk.after(key)
      #expect(added.kind == kind && added.size == size && (kind != .polygon || added.points == 6))
    }
    #expect(desk.live.drawing.count == 5 && desk.live.drawing.overlapCount == 0)
    desk.press("n3")
    #expect(desk.live.drawing.count == 9 && desk.live.selection.count == 3)
    desk.press("B")
    desk.live.pointer = Point(x: 400, y: 100)
    #expect(desk.after("r").position == Point(x: 325, y: 40))
    // A pointer that isn't over the canvas that is seen says nothing.
    desk.press("B")
    desk.live.pointer = Point(x: 4_000, y: 100)
    #expect(desk.after("r").position == Point(x: 245, y: 124))
  }

  @Test @ClientLoop func `S14: an arrow joins two shapes, or leads from one to the mouse, or is free`() throws {
    let desk = try Desk()
    desk.settle()
    let (sun, moon) = (desk.draw("Sun", square), desk.draw("Moon", beside))
    let way = desk.draw("Way", Rect(0, 200, 100, 1), .line)
    func ends() -> [Point] { desk.live.drawn(desk.live.selection[0])?.pathPoints ?? [] }
    func stored() -> [Point] { desk.live.canvas[desk.live.selection[0]]?.pathPoints ?? [] }
    func isNear(_ one: Point, _ x: Double, _ y: Double) -> Bool {
      (one.x - x).magnitude < 0.1 && (one.y - y).magnitude < 0.1
    }
    desk.press("a")
    let free = ends()
    #expect(isNear(free[0], 320, 184) && isNear(free[1], 520, 184) && desk.selected.from == nil)
    #expect(desk.selected.kind == .line && desk.selected.toEnd == .arrow && desk.selected.strokeWidth == 4)
    desk.live.select([sun, moon])
    desk.press("a")
    #expect(
      desk.selected.from == Tie(shape: sun, place: .middle) && desk.selected.to == Tie(shape: moon, place: .middle)
    )
    #expect(isNear(stored()[0], 50, 50) && isNear(stored()[1], 250, 50))
    desk.live.select([sun])
    desk.press("a")
    #expect(desk.selected.from?.shape == sun && desk.selected.to == nil && isNear(ends()[1], 300, 50))
    desk.live.select([moon])
    desk.live.pointer = Point(x: 250, y: 300)
    desk.press("a")
    #expect(desk.selected.from?.shape == moon && isNear(ends()[1], 250, 300))
    // Where the mouse is on the shape itself, the arrow leads away from it.
    desk.live.select([moon])
    desk.live.pointer = Point(x: 220, y: 20)
    desk.press("a")
    #expect(isNear(ends()[1], 500, 50))
    // No line is tied to a line.
    desk.live.select([way])
    desk.press("a")
    #expect(desk.selected.from == nil)
  }

  @Test @ClientLoop func `S13, S14: copies lie beside the originals, in a group of their own, tied to each other`()
    throws
  {
    let desk = try Desk()
    let group = Identifier("gro-up0-000")!
    let sun = desk.draw("Sun", square) { $0.group = group }
    let moon = desk.draw("Moon", beside) { $0.group = group }
    let way = desk.draw("Way", square, .line) {
      $0.from = Tie(shape: sun, place: .middle)
      $0.to = Tie(shape: moon, place: .middle)
    }
    desk.live.select([way, sun])
    desk.press("d")
    let copies = desk.live.selection
    #expect(copies.count == 2 && Set(copies).isDisjoint(with: [sun, moon, way]))
    let (copy, line) = (desk.shape(copies[0]), desk.shape(copies[1]))
    #expect(copy.position == Point(x: 24, y: 24) && copy.size == square.size && copy.name == "Sun")
    #expect(copy.group != group && copy.group != nil)
    // The moon isn't copied, so the line's copy isn't tied to it.
    #expect(line.kind == .line && line.from?.shape == copies[0] && line.to == nil)
    #expect(desk.live.drawing.order.identifiers == [sun, moon, way] + copies)
    desk.live.select([])
    desk.press("d")
    #expect(desk.live.drawing.count == 5)
  }

  @Test @ClientLoop func `Keys delete, and what one has done is undone and redone`() throws {
    let desk = try Desk()
    for key in [Key.character("x"), .delete, .backspace] {
      desk.live.select([desk.draw("Box", square)])
      desk.press(key)
      #expect(desk.live.drawing.count == 0 && desk.live.selection.isEmpty)
    }
    desk.press("u")
    #expect(desk.live.drawing.count == 1 && desk.notice == nil)
    for (key, modifiers, count) in [
      (.character("U"), [], 0), (.character("u"), [], 1), (.character("r"), .control, 0), (.character("u"), [], 1),
      (.character("y"), .control, 0),
    ] as [(Key, Modifiers, Int)] {
      desk.press(key, modifiers)
      #expect(desk.live.drawing.count == count && desk.notice == nil)
    }
    desk.press("U")
    #expect(desk.notice == "There is nothing to redo.")
    desk.press("uuuu")
    #expect(desk.notice == "There is nothing to undo." && desk.live.drawing.count == 3)
  }

  @Test @ClientLoop func `All go into the black hole, and are seen on their way`() throws {
    let desk = try Desk()
    desk.settle()
    let box = desk.draw("Box", square)
    desk.draw("Lid", beside) { $0.isLocked = true }
    #expect(!desk.live.moves || desk.live.shapes.moves)
    desk.press("B")
    #expect(desk.live.drawing.count == 0 && !desk.live.departures.isEmpty && desk.live.moves)
    desk.press("u")
    #expect(desk.live.drawing.count == 2 && desk.shape(box).size == square.size)
  }

  @Test @ClientLoop func `Control-A selects what isn't locked, and Escape ends one thing after the other`() throws {
    let desk = try Desk()
    let box = desk.draw("Box", square)
    desk.draw("Shut", beside) { $0.isLocked = true }
    desk.press(.character("a"), .control)
    #expect(desk.live.selection == [box])
    desk.live.grip = .panning(row: 1, column: 1)
    desk.live.followed = Desk.bob
    desk.live.lostTexts.add(LostTexts.Lost(text: "Buy milk", shape: box, place: Properties(), words: "It was lost."))
    func state() -> [Bool] {
      [desk.live.grip.isNone, desk.live.followed == nil, desk.live.selection.isEmpty, desk.live.lostTexts.words == nil]
    }
    for count in 1...4 {
      desk.press(.escape)
      #expect(state() == (0..<4).map { $0 < count })
    }
  }

  @Test @ClientLoop func `The keys are shown until the next one, which does nothing else`() throws {
    let desk = try Desk()
    desk.press("?")
    #expect(desk.live.showsHelp && desk.look().text(row: 12).contains("undo") == false)
    desk.press("r")
    #expect(!desk.live.showsHelp && desk.live.drawing.count == 0)
    desk.press("?")
    desk.mouse(.move, at: Point(x: 8, y: 8))
    #expect(desk.live.showsHelp)
    desk.mouse(.press, at: Point(x: 8, y: 8))
    #expect(!desk.live.showsHelp)
  }

  @Test @ClientLoop func `Keys with Alt or Control that mean nothing do nothing`() throws {
    let desk = try Desk()
    for modifiers in [Modifiers.alt, .control, [.alt, .control]] {
      for key in "rnB3" { desk.press(.character(key.unicodeScalars.first!), modifiers) }
    }
    #expect(desk.live.drawing.count == 0)
    desk.press(.character("R"), .shift)
    desk.press(.character("r"), .shift)
    #expect(desk.live.drawing.count == 1)
  }

  @Test @ClientLoop func `The panel and the theme are changed by keys, and the theme by what the terminal answers`()
    throws
  {
    let desk = try Desk()
    let wide = Terminal.Size(columns: 120, rows: 36, aspect: 2)
    desk.look(wide)
    #expect(desk.live.layout.hasPanel)
    desk.press("g")
    desk.look(wide)
    #expect(!desk.live.layout.hasPanel && desk.live.view.columns == 120)
    desk.press("t")
    #expect(desk.live.theme == .light)
    desk.press("t")
    #expect(desk.live.theme == .dark)
    for (level, theme) in [(255, .light), (0, .dark), (129, .light), (128, .dark)] as [(UInt8, Theme)] {
      desk.live.take(.background(red: level, green: level, blue: level))
      #expect(desk.live.theme == theme)
    }
  }

  @Test @ClientLoop func `Whoever looks on is told so, and changes nothing`() throws {
    for desk in [try Desk("--view"), try Desk(role: .viewer)] {
      let box = desk.draw("Box", square) { $0.text = "Buy milk" }
      desk.live.select([box])
      for (key, said) in [
        (.enter, "You can look but not edit here."), (.character("i"), "You can look but not edit here."),
        (.character("]"), "A change was refused: you can look but not edit here."),
      ] as [(Key, String)] {
        desk.live.notice = nil
        desk.press(key)
        #expect(desk.notice == said && desk.live.prompt == nil)
      }
      #expect(desk.shape(box).rotation == 0 && desk.status.contains("View only"))
    }
  }
}
