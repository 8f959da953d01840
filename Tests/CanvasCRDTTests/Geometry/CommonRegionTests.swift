import TestSupport
import Testing

@testable import CanvasCRDT

@Suite("Common regions")
struct CommonRegionTests {
  /// The area of a polygon. It is positive if the corners go clockwise on the screen.
  private func area(_ corners: [Point]) -> Double {
    var sum = 0.0
    for (index, corner) in corners.enumerated() {
      let next = corners[(index + 1) % corners.count]
      sum += corner.x * next.y - corner.y * next.x
    }
    return sum / 2
  }

  private func common(_ first: Outline, _ second: Outline) throws -> [[Point]] {
    try #require(first.commonRegion(with: second))
  }

  @Test("Of two upright rectangles it is their intersection")
  func rectangles() throws {
    let region = try common(Outline(.rectangle, 0, 0, 100, 100), Outline(.rectangle, 60, 70, 100, 100))
    #expect(region.count == 1)
    #expect(
      Set(region.first ?? []) == [
        Point(x: 60, y: 70), Point(x: 100, y: 70), Point(x: 100, y: 100), Point(x: 60, y: 100),
      ]
    )
    #expect(area(region.first ?? []) == 1_200)
  }

  @Test("Of a shape and itself it is the shape, corner by corner", arguments: ShapeKind.outlines)
  func itself(kind: ShapeKind) throws {
    let shape = Outline(kind, 10, 20, 130, 70, rotation: 17)
    let region = try common(shape, shape)
    #expect(region.count == 1)
    let corners = shape.polygon(flatness: 0.125)
    #expect((region.first ?? []).count == corners.count)
    #expect((area(region.first ?? []) - area(corners)).magnitude < 1e-9)
  }

  @Test("Two stars have closed loops in common, one for each tip that reaches in")
  func stars() throws {
    let star = Outline(.star, 0, 0, 200, 200, innerRatio: 0.2)
    // The second star is rotated by half the angle between two tips, so both stars share one piece around the centre.
    #expect(try common(star, Outline(.star, 0, 0, 200, 200, rotation: 36, innerRatio: 0.2)).count == 1)
    // A bar lies across the star's two lower tips. So it has a separate area in common with each tip.
    let tips = try common(star, Outline(.rectangle, 0, 160, 200, 10))
    #expect(tips.count == 2)
    #expect(tips.allSatisfy { area($0) > 0 })
  }

  @Test("Parts that touch in a corner are loops of their own")
  func touchingParts() throws {
    // The lowest inner corner of the star is at (100, 125), on the upper side of the rectangle below.
    let star = Outline(.star, 0, 0, 200, 200, points: 3, innerRatio: 0.25)
    let region = try common(star, Outline(.rectangle, 0, 125, 200, 100))
    #expect(region.count == 2)
    #expect(region.allSatisfy { $0.count == 3 && area($0) > 0 })
    #expect(region.allSatisfy { $0.contains(Point(x: 100, y: 125)) })
  }

  @Test("Of two stars with 20 tips it is computed, and of two with 64 tips it is given up", arguments: [20, 64])
  func intricate(tips: Int) {
    let first = Outline(.star, 0, 0, 200, 200, points: tips, innerRatio: 0.2)
    let second = Outline(.star, 20, 10, 200, 200, rotation: 2, points: tips, innerRatio: 0.2)
    var work = 0
    let region = first.commonRegion(with: second, work: &work)
    #expect(first.overlaps(second) && (region == nil) == (tips == 64) && work > 1_000)
  }

  @Test("Nothing is common to shapes that touch")
  func touching() {
    #expect(Outline(.ellipse, 0, 0, 100, 100).commonRegion(with: Outline(.ellipse, 100, 0, 100, 100)) == [])
    #expect(Outline(.rectangle, 0, 0, 100, 100).commonRegion(with: Outline(.star, 300, 0, 100, 100)) == [])
  }

  @Test(
    "Chords are as near to the curve as asked for, and no more than allowed",
    arguments: [1, 0.1, 1e-3]
  )
  func flatness(flatness: Double) {
    let circle = Outline(.ellipse, 0, 0, 1_000, 1_000)
    let corners = circle.polygon(flatness: flatness)
    let center = Point(x: 500, y: 500)
    for (index, corner) in corners.enumerated() {
      let next = corners[(index + 1) % corners.count]
      let x = (corner.x + next.x) / 2 - center.x
      let y = (corner.y + next.y) / 2 - center.y
      #expect(500 - (x * x + y * y).squareRoot() <= flatness)
    }
    #expect(area(corners) < circle.area && area(corners) > circle.area - flatness * 3_142)
    for impossible in [0, -1, Double.nan] {
      #expect(circle.polygon(flatness: impossible).count == Outline.chordsMax)
    }
  }

  @Test("A rounded rectangle's polygon follows its arcs")
  func rounded() {
    let shape = Outline(.roundedRectangle, 0, 0, 300, 200)
    let corners = shape.polygon(flatness: 0.01)
    #expect((area(corners) - shape.area).magnitude < 0.01 * 1_000)
    #expect(corners.allSatisfy { shape.bounds.contains($0) })
  }
}
