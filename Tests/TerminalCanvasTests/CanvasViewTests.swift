import CanvasCRDT
import TerminalCanvas
import Testing

@Suite("The view of a canvas")
struct CanvasViewTests {
  private func isNear(_ one: Point, _ other: Point) -> Bool {
    abs(one.x - other.x) < 1e-6 && abs(one.y - other.y) < 1e-6
  }

  @Test("Zooming leaves what is under the mouse where it is")
  func zoom() {
    var view = CanvasView(columns: 80, rows: 23)
    view.pan(columns: 13, rows: -7)
    let fixed = view.point(atColumn: 20, row: 5)
    for factor in [1.25, 3, 0.1, 1e9, 1e-12] {
      view.zoom(by: factor, atColumn: 20, row: 5)
      #expect(isNear(view.point(atColumn: 20, row: 5), fixed) || view.percent < 1 || view.percent > 1_000)
      #expect(CanvasView.scales.contains(view.scale), "\(factor)")
    }
    view.zoom(toPercent: 100)
    #expect(view.percent == 100)
  }

  @Test("Fitting shows the whole rectangle, in the middle")
  func fit() {
    var view = CanvasView(columns: 80, rows: 23)
    let box = Rect(-500, 300, 4_000, 100)
    view.fit(box)
    #expect(view.visibleBox.contains(box))
    #expect(isNear(view.center, box.center))
    view.resize(columns: 200, rows: 60)
    #expect(isNear(view.center, box.center))
    // A tenth of the view stays free, in the direction in which the box fills it.
    for (box, columns, rows) in [(Rect(0, 0, 4_000, 1), 180.0, 0.0), (Rect(0, 0, 1, 4_000), 0, 54)] {
      view.fit(box)
      let size = view.cell(of: Point(x: box.maxX, y: box.maxY))
      let start = view.cell(of: box.origin)
      #expect(columns == 0 || (size.x - start.x - columns).magnitude < 1e-6)
      #expect(rows == 0 || (size.y - start.y - rows).magnitude < 1e-6)
    }
    // What is small isn't shown larger than is asked.
    view.fit(Rect(0, 0, 1, 1))
    #expect(view.percent == 400)
    view.fit(Rect(0, 0, 1, 1), scaleMax: 1 / 8)
    #expect(view.percent == 100)
  }

  @Test("The view ends where the canvas does")
  func edge() {
    var view = CanvasView(columns: 80, rows: 24)
    for (columns, rows, origin) in [
      (1e9, 0.0, Point(x: 2e7, y: 0)), (0, -1e9, Point(x: 2e7, y: -2e7)), (-1e10, 1e10, Point(x: -2e7, y: 2e7)),
    ] {
      view.pan(columns: columns, rows: rows)
      #expect(view.origin == origin)
    }
    let none = CanvasView(columns: 0, rows: -3)
    #expect(none.columns == 1 && none.rows == 1)
    view.resize(columns: 0, rows: 0)
    #expect(view.columns == 1 && view.rows == 1)
  }

  @Test("A square is as wide as it is high on the screen, whatever the cells are like", arguments: [2, 1.8, 2.4, 99])
  func aspect(_ aspect: Double) {
    let view = CanvasView(columns: 80, rows: 23, aspect: aspect)
    #expect(view.aspect == (aspect == 99 ? 2 : aspect), "what can't be is not believed")
    let from = view.cell(of: Point(x: 0, y: 0))
    let to = view.cell(of: Point(x: 100, y: 100))
    #expect(abs((to.x - from.x) - (to.y - from.y) * view.aspect) < 1e-9)
    #expect(isNear(view.point(atColumn: to.x, row: to.y), Point(x: 100, y: 100)))
  }

  @Test("Handles turn with the corners")
  func handles() {
    var view = CanvasView(columns: 80, rows: 40)
    view.fit(Rect(0, 0, 400, 400))
    let upright = Outline(.ellipse, 100, 100, 200, 200)
    var turned = upright
    turned.rotation = 90
    let handles = Handles(of: upright, in: view)
    #expect(handles.corners[0].row < handles.corners[3].row)
    #expect(handles.corners[0].column < handles.corners[1].column)
    #expect(handles.turning!.row == handles.corners[0].row - 2)
    #expect(Handles(of: turned, in: view).corners[0] == handles.corners[1])
    #expect(handles.corner(at: handles.corners[2]) == 2)
    #expect(handles.corner(at: handles.turning!) == nil)
    let middle = (handles.corners[0].column + handles.corners[1].column) / 2
    #expect((handles.turning!.column - middle).magnitude <= 1)
    // Turned by a right angle, it is beside the right side.
    let beside = Handles(of: turned, in: view)
    #expect(beside.turning!.column == beside.corners[0].column + 4)
    #expect((beside.turning!.row - (beside.corners[0].row + beside.corners[1].row) / 2).magnitude <= 1)
  }

  @Test("The black hole's mouth stays at the bottom left, however the view moves")
  func hole() {
    var view = CanvasView(columns: 80, rows: 24)
    for _ in 0..<5 {
      let hole = BlackHole(view: view)
      let place = view.cell(of: hole.center)
      #expect(place.x < 8 && place.y > 19)
      #expect(hole.contains(view.point(atColumn: 5, row: 21)))
      #expect(hole.swelling(for: hole.center) == 1.5)
      #expect(hole.swelling(for: view.point(atColumn: 60, row: 3)) == 1)
      func off(_ radii: Double) -> Point { Point(x: hole.center.x + radii * hole.radius, y: hole.center.y) }
      #expect([1.15, 1.25].map { hole.contains(off($0)) } == [true, false])
      #expect(
        (hole.swelling(for: off(1)) - 1.5).magnitude < 1e-9 && (hole.swelling(for: off(2.5)) - 1.25).magnitude < 1e-9
      )
      view.zoom(by: 1.7)
      view.pan(columns: 33, rows: 5)
    }
    // In a low view it is lower.
    let low = CanvasView(columns: 80, rows: 8)
    #expect(BlackHole(view: low).radius == 1 / low.rowScale)
    #expect(low.cell(of: BlackHole(view: low).center) == Point(x: 4, y: 6))
  }
}
