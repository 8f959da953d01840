import Foundation
import TestSupport
import Testing

@testable import CanvasCRDT

@Suite("Outlines")
struct OutlineTests {
  private func expectOverlap(
    _ first: Outline,
    _ second: Outline,
    _ expected: Bool,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(first.overlaps(second) == expected, sourceLocation: sourceLocation)
    #expect(second.overlaps(first) == expected, sourceLocation: sourceLocation)
  }

  @Test(
    "S7: a corner that is hardly round overlaps no more than a square one",
    arguments: [1e-300, 1e-160, 1e-9, 1e-5]
  )
  func hardlyRound(radius: Double) {
    for rotation in [0.0, 30] {
      let rounded = Outline(.roundedRectangle, 0, 0, 100, 100, rotation: rotation, cornerRadius: radius)
      expectOverlap(rounded, Outline(.rectangle, 300, 300, 50, 50, rotation: 10), false)
      expectOverlap(rounded, Outline(.ellipse, 300, 300, 50, 50), false)
      expectOverlap(rounded, Outline(.roundedRectangle, 300, 0, 50, 50, rotation: 20, cornerRadius: radius), false)
      expectOverlap(rounded, Outline(.rectangle, 60, 60, 50, 50, rotation: 10), true)
    }
  }

  @Test("S7: Upright rectangles are compared by their coordinates, except for rounding")
  func uprightRectangles() {
    let square = Outline(.rectangle, 0, 0, 100, 100)
    expectOverlap(square, Outline(.rectangle, 100, 0, 50, 50), false)
    expectOverlap(square, Outline(.rectangle, (100.0).nextDown, 0, 50, 50), false)
    expectOverlap(square, Outline(.rectangle, 99.999_999_999, 0, 50, 50), true)
    expectOverlap(square, Outline(.rectangle, 1e7, 1e7, 50, 50), false)
    expectOverlap(square, Outline(.rectangle, 10, 10, 1, 1), true)
    expectOverlap(square, square, true)
    // After the rotation by a quarter turn, the rectangle of 200 by 100 covers x from 50 to 150 and y from −50 to 150.
    expectOverlap(Outline(.rectangle, 0, 0, 200, 100, rotation: 90), Outline(.rectangle, 150, 0, 10, 10), false)
    expectOverlap(Outline(.rectangle, 0, 0, 200, 100, rotation: 90), Outline(.rectangle, 149, -50, 10, 10), true)
  }

  @Test("S7: Turned rectangles overlap by their outlines, not by their bounds")
  func turnedRectangles() {
    let diamond = Outline(.rectangle, 0, 0, 100, 100, rotation: 45)
    expectOverlap(diamond, Outline(.rectangle, 100, 100, 15, 15), false)
    expectOverlap(diamond, Outline(.rectangle, 85.36, 85.36, 15, 15), false)
    expectOverlap(diamond, Outline(.rectangle, 85.35, 85.35, 15, 15), true)
    // Two rotated squares side by side.
    let step = 100 * (0.5).squareRoot()
    expectOverlap(diamond, Outline(.rectangle, step, step, 100, 100, rotation: 45), false)
    expectOverlap(diamond, Outline(.rectangle, step - 0.001, step - 0.001, 100, 100, rotation: 45), true)
  }

  @Test("Circles overlap where their centres are nearer than their radii")
  func circles() {
    let circle = Outline(.ellipse, 0, 0, 100, 100)
    expectOverlap(circle, Outline(.ellipse, 100, 0, 100, 100), false)
    expectOverlap(circle, Outline(.ellipse, 99.999, 0, 100, 100), true)
    expectOverlap(circle, Outline(.ellipse, 75, 75, 100, 100), false)
    expectOverlap(circle, Outline(.ellipse, 60, 80, 100, 100), false)
    expectOverlap(circle, Outline(.ellipse, 59.999, 80, 100, 100), true)
    expectOverlap(circle, Outline(.ellipse, 49, 49, 2, 2), true)
    expectOverlap(circle, Outline(.rectangle, 85.3553390593274, 85.3553390593274, 10, 10), false)
    expectOverlap(circle, Outline(.rectangle, 85.355, 85.355, 10, 10), true)
  }

  @Test("Long ellipses overlap by their curves")
  func ellipses() {
    let flat = Outline(.ellipse, -100, -1, 200, 2)
    expectOverlap(flat, Outline(.ellipse, -100, -1, 200, 2, rotation: 90), true)
    expectOverlap(flat, Outline(.ellipse, 50, 0.9, 200, 2), false)
    expectOverlap(flat, Outline(.ellipse, 50, 0.33, 200, 2), false)
    // The centres are 150 apart horizontally and 1.32 vertically. At 1.3229 vertically, the ellipses would only touch.
    expectOverlap(flat, Outline(.ellipse, 50, 0.32, 200, 2), true)
    expectOverlap(flat, Outline(.ellipse, -100, 1, 200, 2), false)
    expectOverlap(flat, Outline(.ellipse, -100, 0.999, 200, 2), true)
  }

  @Test("S7: What lies in the notch of a star doesn't overlap it")
  func starNotch() {
    let star = Outline(.star, 0, 0, 100, 100)
    // The first two shapes are in the gap to the right of the star's upper tip. The gap's inner corner is at (64.7,
    // 29.8).
    expectOverlap(star, Outline(.rectangle, 68, 10, 10, 10), false)
    expectOverlap(star, Outline(.ellipse, 66, 12, 12, 12), false)
    expectOverlap(star, Outline(.rectangle, 60, 22, 10, 10), true)
    expectOverlap(star, Outline(.rectangle, 45, 45, 1, 1), true)
    #expect(star.contains(Point(x: 50, y: 0)))
    #expect(!star.contains(Point(x: 68, y: 20)))
    #expect(star.contains(Point(x: 50, y: 50)))
  }

  @Test("A rounded corner leaves room where a square one would not")
  func roundedCorner() {
    let rounded = Outline(.roundedRectangle, 0, 0, 100, 100, cornerRadius: 50)
    expectOverlap(rounded, Outline(.rectangle, 86, 86, 10, 10), false)
    expectOverlap(rounded, Outline(.rectangle, 85, 85, 10, 10), true)
    let little = Outline(.roundedRectangle, 0, 0, 100, 100, cornerRadius: 10)
    expectOverlap(little, Outline(.rectangle, 97.1, 97.1, 10, 10), false)
    expectOverlap(little, Outline(.rectangle, 97, 97, 10, 10), true)
    expectOverlap(little, Outline(.rectangle, 99, 20, 10, 10), true)
    #expect(!little.contains(Point(x: 98, y: 98)))
    #expect(little.contains(Point(x: 96, y: 96)))
    expectOverlap(
      Outline(.roundedRectangle, 0, 0, 100, 100, cornerRadius: 0),
      Outline(.rectangle, 99.9, 99.9, 10, 10),
      true
    )
  }

  @Test("Touching and overlapping differ far from the origin too")
  func farAway() {
    for rotation in [0.0, 30, 45, 61.7] {
      let direction = Direction(degrees: rotation)
      let first = Outline(.polygon, 1e7 - 500, -1e7, 300, 300, rotation: rotation, points: 4)
      // A polygon with four corners is a square that stands on a corner. Its diagonals are 300 long, so a copy that is
      // moved by 150 in x and in y shares an edge with it.
      let step = direction.turning(150, 150)
      let second = Outline(.polygon, 1e7 - 500 + step.x, -1e7 + step.y, 300, 300, rotation: rotation, points: 4)
      expectOverlap(first, second, false)
      let nearer = Outline(
        .polygon,
        1e7 - 500 + step.x * 0.9999999,
        -1e7 + step.y * 0.9999999,
        300,
        300,
        rotation: rotation + 180,
        points: 4
      )
      expectOverlap(first, nearer, true)
    }
  }

  @Test("Bounds are tight around the turned curve")
  func bounds() {
    #expect(Outline(.ellipse, 0.1, 0.2, 0.7, 0.1).bounds.size == Size(width: 0.7, height: 0.1))
    #expect(Outline(.rectangle, 0, 0, 200, 100, rotation: 90).bounds == Outline(.rectangle, 50, -50, 100, 200).bounds)
    let triangle = Outline(.polygon, 0, 0, 100, 100, points: 3).bounds
    #expect(triangle.minY == 0)
    #expect((triangle.maxY - 75).magnitude < 1e-12)
    #expect((triangle.size.width - 100 * (0.75).squareRoot()).magnitude < 1e-12)
    let circle = Outline(.ellipse, 0, 0, 100, 100, rotation: 33).bounds
    #expect(circle.minX.magnitude < 1e-12 && (circle.maxY - 100).magnitude < 1e-12)
  }

  @Test(
    "S6: Polygons and stars are inscribed in the ellipse of their box, with a corner at the top",
    arguments: [ShapeKind.polygon, .star]
  )
  func inscribed(kind: ShapeKind) {
    for points in 3...64 {
      let outline = Outline(kind, 10, 20, 100, 200, points: points)
      /// Whether the outline contains a point just inside the ellipse. `step` counts clockwise from the top: even steps
      /// are at the corners, odd steps halfway between two corners.
      func holds(_ step: Int) -> Bool {
        let angle = Double.pi * Double(step) / Double(points)
        return outline.contains(Point(x: 60 + 49.999 * sin(angle), y: 120 - 99.998 * cos(angle)))
      }
      for corner in 0..<points {
        #expect(holds(2 * corner), "\(points) points")
        #expect(!holds(2 * corner + 1), "\(points) points")
      }
    }
  }

  @Test("Areas are those of the formulas")
  func areas() {
    #expect(Outline(.rectangle, 0, 0, 20, 30, rotation: 10).area == 600)
    #expect((Outline(.ellipse, 0, 0, 2, 2).area - Double.pi).magnitude < 1e-15)
    #expect((Outline(.polygon, 0, 0, 2, 2, points: 4).area - 2).magnitude < 1e-15)
    #expect((Outline(.roundedRectangle, 0, 0, 2, 2).area - Double.pi).magnitude < 1e-15)
    // With an inner ratio of 1, the inner corners lie on the ellipse like the tips. So a star of four tips is an
    // octagon.
    #expect((Outline(.star, 0, 0, 2, 2, points: 4, innerRatio: 1).area - 8 * (0.125).squareRoot()).magnitude < 1e-12)
  }

  @Test("Values that no shape may have neither crash nor overlap")
  func nonsense() {
    let square = Outline(.rectangle, 0, 0, 100, 100)
    for kind in ShapeKind.outlines {
      for value in [Double.nan, .infinity, -1, 0] {
        expectOverlap(square, Outline(kind, 50, 50, value == .infinity ? .nan : value, 10), false)
        _ = Outline(kind, value, value, 10, 10, rotation: value, cornerRadius: value, innerRatio: value).bounds
        expectOverlap(square, Outline(kind, .nan, 50, 10, 10), false)
      }
      expectOverlap(square, Outline(kind, 40, 40, 10, 10, points: .max, innerRatio: .nan), true)
      expectOverlap(square, Outline(kind, 40, 40, 10, 10, points: .min, innerRatio: 1e9), true)
    }
  }
}
