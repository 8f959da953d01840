import CanvasCRDT
import TerminalCanvas
import TestSupport
import Testing

@testable import sync_client

/// What the mouse does on the live canvas. At 100 %, a column takes 8 units and a row 16.
@Suite struct LiveMouseTests {
  private let box = Rect(80, 80, 160, 160)

  @Test @ClientLoop func `A drag moves what it began at, as one step, and shows it as lifted`() throws {
    let desk = try Desk()
    let (sun, moon) = (desk.draw("Sun", box), desk.draw("Moon", Rect(320, 80, 80, 80)))
    desk.settle()
    desk.mouse(.press, at: Point(x: 160, y: 160))
    #expect(desk.live.selection == [sun] && desk.live.grip.lifted.isEmpty)
    desk.mouse(.drag, at: Point(x: 176, y: 176))
    desk.mouse(.drag, at: Point(x: 240, y: 192))
    #expect(desk.live.grip.lifted == [sun] && desk.shape(sun).position == Point(x: 160, y: 112))
    desk.mouse(.release, at: Point(x: 240, y: 192))
    #expect(desk.live.grip.isNone && desk.shape(moon).position == Point(x: 320, y: 80))
    desk.press("u")
    #expect(desk.shape(sun).position == Point(x: 80, y: 80))
  }

  @Test @ClientLoop func `A drag ends also if its release is lost, and what follows is a step of its own`() throws {
    let desk = try Desk()
    let sun = desk.draw("Sun", box)
    desk.settle()
    for isFocusLost in [false, true] {
      desk.mouse(.press, at: Point(x: 160, y: 160))
      desk.mouse(.drag, at: Point(x: 200, y: 160))
      if isFocusLost { desk.live.take(.focus(false)) } else { desk.mouse(.move, .none, at: Point(x: 200, y: 160)) }
      desk.live.clicks.forget()
      let before = desk.shape(sun)
      #expect(desk.live.grip.isNone && before.position == Point(x: 120, y: 80))
      desk.press("c")
      #expect(desk.shape(sun).fill != before.fill)
      desk.press("u")
      #expect(desk.shape(sun).fill == before.fill && desk.shape(sun).position == before.position)
      desk.press("u")
      #expect(desk.shape(sun).position == box.origin)
    }
  }

  @Test @ClientLoop func `S12: a shape that is locked in the midst of a drag stays`() throws {
    let desk = try Desk()
    let sun = desk.draw("Sun", box)
    desk.settle()
    desk.mouse(.press, at: Point(x: 160, y: 160))
    desk.mouse(.drag, at: Point(x: 200, y: 160))
    desk.write(sun) { $0.isLocked = true }
    desk.mouse(.drag, at: Point(x: 240, y: 160))
    desk.mouse(.release, at: Point(x: 240, y: 160))
    #expect(desk.shape(sun).position == Point(x: 120, y: 80))
  }

  @Test @ClientLoop func `Whoever looks on drags nothing`() throws {
    let desk = try Desk("--view")
    let sun = desk.draw("Sun", box)
    desk.settle()
    desk.drag(Point(x: 160, y: 160), Point(x: 240, y: 192))
    desk.drag(Point(x: 80, y: 80), Point(x: 40, y: 40))
    #expect(
      desk.shape(sun)
        == Properties {
          $0.position = box.origin; $0.size = box.size; $0.name = "Sun"; $0.kind = .rectangle; $0.z = desk.shape(sun).z
        }
    )
  }

  @Test @ClientLoop func `S13: a click takes the whole group, and with a key held one more or one less`() throws {
    let desk = try Desk()
    let group = Identifier("gro-up0-000")!
    let (sun, moon) = (
      desk.draw("Sun", box) { $0.group = group }, desk.draw("Moon", Rect(320, 80, 80, 80)) { $0.group = group }
    )
    let star = desk.draw("Star", Rect(440, 80, 80, 80))
    let shut = desk.draw("Shut", Rect(440, 240, 80, 80)) { $0.isLocked = true }
    desk.settle()
    for (place, modifiers, selection) in [
      (Point(x: 160, y: 160), [], [sun, moon]), (Point(x: 480, y: 120), .alt, [sun, moon, star]),
      (Point(x: 360, y: 120), .alt, [star]), (Point(x: 360, y: 120), .shift, [star, sun, moon]),
      // What is selected already stays so, together with the rest.
      (Point(x: 160, y: 160), [], [star, sun, moon]), (Point(x: 480, y: 280), .alt, [star, sun, moon]),
      (Point(x: 480, y: 280), [], []), (Point(x: 480, y: 120), [], [star]), (Point(x: 560, y: 40), [], []),
    ] as [(Point, Modifiers, [Identifier])] {
      desk.click(place, modifiers)
      #expect(desk.live.selection == selection, "\(place) \(modifiers)")
    }
    #expect(desk.live.drawing.count == 4 && desk.shape(shut).isLocked)
  }

  @Test @ClientLoop func `The right button selects what is in a box, and so does a drag with a key held`() throws {
    let desk = try Desk()
    let (sun, moon) = (desk.draw("Sun", box), desk.draw("Moon", Rect(320, 80, 80, 80)))
    desk.draw("Shut", Rect(80, 80, 40, 40)) { $0.isLocked = true }
    desk.settle()
    desk.drag(Point(x: 440, y: 200), Point(x: 200, y: 120), button: .right)
    #expect(Set(desk.live.selection) == [sun, moon])
    desk.drag(Point(x: 280, y: 40), Point(x: 340, y: 100), modifiers: .alt)
    #expect(desk.live.selection == [moon])
    desk.mouse(.press, .right, at: Point(x: 440, y: 200))
    #expect(desk.live.grip.band == nil)
    desk.mouse(.drag, .right, at: Point(x: 404, y: 104))
    #expect(desk.live.grip.band == Rect(404, 104, 40, 96))
    #expect(desk.live.drawing.count == 3)
  }

  @Test @ClientLoop func `A drag on nothing draws a rectangle, first yellow, then red, unless the hand only trembled`()
    throws
  {
    let desk = try Desk()
    desk.settle()
    for (end, count) in [(Point(x: 84, y: 84), 0), (Point(x: 92, y: 84), 0), (Point(x: 100, y: 84), 1)] {
      desk.drag(Point(x: 84, y: 84), end)
      #expect(desk.live.drawing.count == count && desk.live.grip.isNone, "\(end)")
    }
    #expect(desk.selected.size == Size(width: 100, height: 100) && desk.selected.position == Point(x: 84, y: 88))
    #expect(desk.selected.fill == Color(packed: 0xFFFF00))
    desk.drag(Point(x: 540, y: 344), Point(x: 300, y: 184))
    #expect(desk.selected.size == Size(width: 240, height: 160) && desk.selected.position == Point(x: 300, y: 184))
    #expect(desk.selected.fill == Color(packed: 0xFF0000))
    desk.drag(Point(x: 404, y: 24), Point(x: 404, y: 40))
    #expect(desk.live.drawing.count == 2)
    desk.drag(Point(x: 404, y: 24), Point(x: 404, y: 56))
    #expect(
      desk.live.drawing.count == 3 && ![0xFFFF00, 0xFF0000].map { Color(packed: $0) }.contains(desk.selected.fill)
    )
  }

  @Test(arguments: [
    (0, Rect(80, 80, 160, 160), Point(x: 40, y: 60)), (1, Rect(80, 80, 160, 160), Point(x: 280, y: 60)),
    (2, Rect(80, 80, 160, 160), Point(x: 280, y: 284)), (3, Rect(80, 80, 160, 160), Point(x: 44, y: 284)),
  ])
  @ClientLoop func `A corner follows the mouse, and the one across from it stays`(corner: Int, box: Rect, place: Point)
    throws
  {
    let desk = try Desk()
    let sun = desk.draw("Sun", box)
    desk.settle()
    desk.live.select([sun])
    let corners = [
      Point(x: box.minX, y: box.minY), Point(x: box.maxX, y: box.minY), Point(x: box.maxX, y: box.maxY),
      Point(x: box.minX, y: box.maxY),
    ]
    desk.drag(corners[corner], Point(x: 160, y: 160), place)
    let across = corners[(corner + 2) % 4]
    let seen = desk.live.view.point(
      inColumn: Int(desk.live.view.cell(of: place).x),
      row: Int(desk.live.view.cell(of: place).y)
    )
    let shape = desk.shape(sun)
    #expect(shape.size == Size(width: (seen.x - across.x).magnitude, height: (seen.y - across.y).magnitude))
    #expect(shape.position == Point(x: min(seen.x, across.x), y: min(seen.y, across.y)))
    // The whole drag is one step, and no shape is made smaller than a hand can grab.
    desk.press("u")
    #expect(desk.shape(sun).size == box.size)
    desk.drag(corners[corner], across)
    #expect(desk.shape(sun).size == Size(width: 100, height: 100))
    let kept = Point(
      x: corner == 1 || corner == 2 ? box.minX : box.maxX - 100,
      y: corner >= 2 ? box.minY : box.maxY - 100
    )
    #expect(desk.shape(sun).position == kept)
  }

  @Test @ClientLoop func `A shape that is small already gets no smaller by a corner, however large it was on the way`()
    throws
  {
    let desk = try Desk()
    let sun = desk.draw("Sun", Rect(80, 80, 80, 80))
    desk.settle()
    desk.live.select([sun])
    desk.drag(Point(x: 160, y: 160), Point(x: 300, y: 300), Point(x: 100, y: 100))
    #expect(desk.shape(sun).size == Size(width: 80, height: 80) && desk.shape(sun).position == Point(x: 80, y: 80))
  }

  @Test @ClientLoop func `Of a turned box, too, the corner across stays where it is seen`() throws {
    let desk = try Desk()
    let sun = desk.draw("Sun", Rect(160, 80, 160, 160)) { $0.rotation = 90 }
    desk.settle()
    desk.live.select([sun])
    // A turn by 90° brings the first corner to the upper right.
    desk.drag(Point(x: 320, y: 80), Point(x: 360, y: 60))
    let corners = desk.live.drawn(sun)!.outline.polygon(flatness: 1)
    #expect((corners[2].x - 160).magnitude < 0.1 && (corners[2].y - 240).magnitude < 0.1)
    #expect((corners[0].x - 364).magnitude < 0.1 && (corners[0].y - 56).magnitude < 0.1)
    #expect(desk.shape(sun).size == Size(width: 184, height: 204) && desk.shape(sun).rotation == 90)
  }

  @Test @ClientLoop func `The arrow above a shape turns it, with Alt in steps`() throws {
    let desk = try Desk()
    let sun = desk.draw("Sun", box)
    desk.settle()
    desk.live.select([sun])
    func turn(_ modifiers: Modifiers, from rotation: Double = 0) -> Double {
      desk.write(sun) { $0.rotation = rotation }
      let turning = Handles(of: desk.live.drawn(sun)!.outline, in: desk.live.view).turning!
      let start = desk.live.view.point(inColumn: turning.column, row: turning.row)
      desk.drag(start, Point(x: 200, y: 40), Point(x: 300, y: 124), modifiers: modifiers)
      return desk.shape(sun).rotation
    }
    let free = turn([])
    #expect((70...76).contains(free) && free == free.rounded())
    // It turns on from where it was.
    #expect((64...84).contains(turn([], from: 40)))
    #expect(turn(.alt) == 75)
    desk.write(sun) { $0.isLocked = true }
    let turning = Handles(of: desk.live.drawn(sun)!.outline, in: desk.live.view).turning!
    desk.drag(desk.live.view.point(inColumn: turning.column, row: turning.row), Point(x: 300, y: 164))
    #expect(desk.shape(sun).rotation == 75)
  }

  @Test @ClientLoop func `A shape that is dropped on the hole is gone, and the hole swells before`() throws {
    let desk = try Desk()
    let (sun, shut) = (desk.draw("Sun", box), desk.draw("Moon", Rect(320, 80, 80, 80)))
    desk.settle()
    let hole = BlackHole(view: desk.live.view)
    desk.live.select([sun, shut])
    desk.mouse(.press, at: Point(x: 160, y: 160))
    desk.mouse(.drag, at: Point(x: 120, y: 240))
    desk.write(shut) { $0.isLocked = true }
    desk.mouse(.drag, at: hole.center)
    desk.mouse(.release, at: hole.center)
    #expect(desk.names == ["Moon"] && !desk.live.departures.isEmpty)
    desk.press("u")
    // A click on it drops nothing.
    desk.write(sun) { $0.position = Point(x: 0, y: 250) }
    desk.settle()
    desk.click(hole.center)
    #expect(desk.live.drawing.count == 2)
  }

  @Test @ClientLoop func `The wheel zooms at the mouse, and with a key held or sideways it moves the view`() throws {
    let desk = try Desk()
    desk.settle()
    let place = Point(x: 164, y: 88)
    for (action, modifiers, origin) in [
      (.wheelUp, .alt, Point(x: 0, y: -48)), (.wheelDown, .control, Point(x: 0, y: 0)),
      (.wheelLeft, [], Point(x: -48, y: 0)), (.wheelRight, [], Point(x: 0, y: 0)),
    ] as [(Mouse.Action, Modifiers, Point)] {
      desk.live.followed = Desk.bob
      desk.mouse(action, .none, at: place, modifiers)
      #expect(desk.live.view.origin == origin && desk.live.view.percent == 100 && desk.live.followed == nil)
    }
    for (action, percent) in [(Mouse.Action.wheelUp, 120), (.wheelDown, 100)] {
      let fixed = desk.live.view.point(inColumn: 20, row: 5)
      desk.mouse(action, .none, at: fixed)
      let after = desk.live.view.point(inColumn: 20, row: 5)
      #expect(
        desk.live.view.percent == percent && (after.x - fixed.x).magnitude < 1e-9
          && (after.y - fixed.y).magnitude < 1e-9
      )
    }
  }

  @Test @ClientLoop func `The middle button takes the canvas along`() throws {
    let desk = try Desk()
    desk.settle()
    desk.live.followed = Desk.bob
    desk.live.take(.mouse(Mouse(.press, .middle, row: 5, column: 20)))
    desk.live.take(.mouse(Mouse(.drag, .middle, row: 6, column: 23)))
    desk.live.take(.mouse(Mouse(.drag, .middle, row: 7, column: 24)))
    #expect(desk.live.view.origin == Point(x: -32, y: -32) && desk.live.followed == nil)
    desk.live.take(.mouse(Mouse(.release, .middle, row: 7, column: 24)))
    #expect(desk.live.grip.isNone && desk.live.drawing.count == 0)
  }

  @Test @ClientLoop func `Others see the pointer only while it is over the canvas`() throws {
    let desk = try Desk()
    desk.settle()
    desk.mouse(.move, .none, at: Point(x: 84, y: 88))
    #expect(desk.live.pointer == Point(x: 84, y: 88))
    desk.live.take(.mouse(Mouse(.move, .none, row: 23, column: 3)))
    #expect(desk.live.pointer == nil)
    desk.mouse(.press, .middle, at: Point(x: 84, y: 88))
    #expect(desk.live.pointer == Point(x: 84, y: 88))
    desk.live.take(.focus(false))
    #expect(desk.live.pointer == nil && desk.live.grip.isNone)
  }

  @Test @ClientLoop func `A click in the panel selects, hides, follows or shows what is told there`() throws {
    let wide = Terminal.Size(columns: 120, rows: 36, aspect: 2)
    let desk = try Desk()
    desk.hear(.join(Peer(actor: Identifier("cat-000-000")!, name: "Cat", color: Color(packed: 0))))
    let (sun, moon) = (desk.draw("Sun", box), desk.draw("Moon", Rect(160, 80, 160, 160)))
    let star = desk.draw("Star", Rect(90_000, 0, 100, 100))
    desk.look(wide)
    let layout = desk.live.layout
    func click(_ rows: Range<Int>, _ row: Int, column: Int = 100) {
      desk.live.take(.mouse(Mouse(.press, .left, row: rows.lowerBound + row, column: column)))
      desk.live.take(.mouse(Mouse(.release, .left, row: rows.lowerBound + row, column: column)))
    }
    click(layout.layers, 0)
    #expect(desk.live.selection == [star] && desk.live.view.visibleBox.contains(Rect(90_000, 0, 100, 100)))
    click(layout.layers, 2)
    #expect(desk.live.selection == [sun])
    click(layout.layers, 1, column: 118)
    #expect(!desk.shape(moon).visible && desk.live.selection == [sun])
    click(layout.layers, 1, column: 118)
    #expect(desk.shape(moon).visible)
    click(layout.layers, 3)
    #expect(desk.live.selection == [sun])
    click(layout.overlaps, 0)
    #expect(Set(desk.live.selection) == [sun, moon] && desk.live.view.visibleBox.intersects(box))
    click(layout.people, 0)
    #expect(desk.live.followed == nil)
    for followed in [Desk.bob, nil] {
      click(layout.people, 1)
      #expect(desk.live.followed == followed)
    }
    click(layout.people, 2)
    #expect(desk.live.followed == Identifier("cat-000-000"))
    // The wheel moves the list of layers, as far as there are any.
    let percent = desk.live.view.percent
    desk.live.take(.mouse(Mouse(.wheelDown, .none, row: layout.layers.lowerBound, column: 100)))
    #expect(desk.live.layersStart == 3 && desk.live.view.percent == percent)
    desk.look(wide)
    #expect(desk.live.layersStart == 0)
  }

  @Test func `Clicks count as one after the other if they come soon, at nearly the same place`() {
    var clicks = Clicks()
    for (row, column, time, count) in [
      (5, 5, 1_000, 1), (5, 6, 1_350, 2), (4, 5, 1_700, 3), (4, 5, 2_051, 1), (6, 5, 2_052, 1), (6, 7, 2_053, 1),
      (5, 8, 2_054, 2),
    ] as [(Int, Int, UInt64, Int)] {
      clicks.note(row: row, column: column, at: time)
      #expect(clicks.count == count, "\(time)")
    }
    clicks.forget()
    clicks.note(row: 5, column: 8, at: 2_055)
    #expect(clicks.count == 1)
  }
}
