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
  }

  @Test("A square is as wide as it is high on the screen, whatever the cells are like", arguments: [2, 1.8, 2.4, 99])
  func aspect(_ aspect: Double) {
    let view = CanvasView(columns: 80, rows: 23, aspect: aspect)
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
      view.zoom(by: 1.7)
      view.pan(columns: 33, rows: 5)
    }
  }
}
