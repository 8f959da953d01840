import TestSupport
import Testing

@testable import CanvasCRDT

@Suite("Dashes of a picture")
struct DashingTests {
  @Test("S11: parts are three widths long with gaps of two, dots come every two widths")
  func steps() {
    #expect(Dash.dashed.step(width: 4) == 20 && Dash.dashed.partLength(width: 4) == 12)
    #expect(Dash.dotted.step(width: 4) == 8 && Dash.dotted.partLength(width: 4) == 0)
    #expect(Dash.solid.step(width: 4) == .infinity && Dash.solid.partLength(width: 4) == .infinity)
  }

  @Test("a line is solid if its dashes are smaller than a pixel, or if the picture has no more dashes to give")
  func budget() {
    var budget = DashBudget(pixel: 5, parts: 10)
    for (dash, width, length, isBroken) in [
      (.solid, 100, 1, false), (.dotted, 2.4, 1, false), (.dashed, 1, .infinity, false), (.dashed, 1, .nan, false),
      // Eleven dashes are one too many, and take none of the ten. Five are half of them.
      (.dashed, 1, 50, false), (.dashed, 1, 20, true), (.dotted, 2.5, 20, true), (.dotted, 2.5, 0, false),
    ] as [(Dash, Double, Double, Bool)] {
      let taken = budget.takes(dash, width: width, length: length)
      #expect(taken == isBroken, "\(dash), \(width), \(length)")
    }
  }

  @Test("the bound on an outline's length is no less than its length, and exact where there are only corners")
  func lengths() {
    for kind in ShapeKind.outlines {
      let outline = Outline(kind, 10, 20, 300, 40, rotation: 30, cornerRadius: 15, points: 7, innerRatio: 0.3)
      let corners = outline.polygon(flatness: 0.01)
      let length = zip(corners, corners.dropFirst() + corners.prefix(1)).reduce(0) { $0 + $1.0.distance(to: $1.1) }
      #expect(outline.lengthMax >= length - 1e-9 && outline.lengthMax <= 1.3 * length, "\(kind)")
      if kind == .polygon || kind == .star { #expect(abs(outline.lengthMax - length) < 1e-9) }
    }
    let piece = DrawnLine.Piece(from: Point(x: 0, y: 0), control: Point(x: 3, y: 4), to: Point(x: 3, y: 0), width: 1)
    #expect(piece.lengthMax == 9)
  }
}
