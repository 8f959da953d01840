import Testing

@testable import CanvasCRDT

@Suite("Rectangles")
struct RectTests {
  @Test("The intersection is the part that both cover")
  func intersection() {
    #expect(Rect(intersecting: Rect(0, 0, 100, 100), Rect(40, 70, 100, 100)) == Rect(40, 70, 60, 30))
    #expect(Rect(intersecting: Rect(40, 70, 100, 100), Rect(0, 0, 100, 100)) == Rect(40, 70, 60, 30))
    #expect(Rect(intersecting: Rect(-5, -5, 10, 10), Rect(-1, -20, 2, 40)) == Rect(-1, -5, 2, 10))
  }

  @Test("A rectangle inside another is the intersection, to the last bit")
  func inside() {
    let inner = Rect(0.1, 0.7, 0.2, 0.1)
    let outer = Rect(-1e7, -1e7, 2e7, 2e7)
    #expect(Rect(intersecting: inner, outer) == inner)
    #expect(Rect(intersecting: outer, inner) == inner)
    #expect(Rect(intersecting: inner, inner) == inner)
  }

  @Test(
    "Rectangles that are apart, touch, or have no area have nothing in common",
    arguments: [
      (100, 0, 50, 50), (0, 100, 50, 50), (-50, 0, 50, 100), (100, 100, 1, 1), (200, 200, 1, 1),
      (50, 50, 0, 10), (50, 50, 10, 0), (60, 50, -10, 10), (.nan, 0, 100, 100), (0, 0, .nan, 100),
    ]
  )
  func nothing(x: Double, y: Double, width: Double, height: Double) {
    let square = Rect(0, 0, 100, 100)
    let other = Rect(x, y, width, height)
    #expect(Rect(intersecting: square, other) == nil)
    #expect(Rect(intersecting: other, square) == nil)
    #expect(!square.intersects(other))
    #expect(!other.intersects(square))
  }

  @Test("S7: Rectangles that touch by decimals touch, though their sums have more digits")
  func touchingByDecimals() {
    #expect(14.8 + 123.9 > 138.7)
    #expect(Rect(intersecting: Rect(14.8, 0, 123.9, 10), Rect(138.7, 0, 50, 10)) == nil)
    #expect(Rect(intersecting: Rect(14.8, 0, 123.9, 10), Rect(138.699, 0, 50, 10)) != nil)
    var generator = SeededGenerator(seed: 4)
    for _ in 0..<5_000 {
      let scale = [1.0, 10, 100, 1_000].randomElement(using: &generator)!
      let start = Int.random(in: -10_000_000...10_000_000, using: &generator)
      let length = Int.random(in: 1...1_000_000, using: &generator)
      let first = Rect(Double(start) / scale, 0, Double(length) / scale, 10)
      let second = Rect(Double(start + length) / scale, 0, 50, 10)
      for (one, other) in [(first, second), (second, first)] {
        #expect(Rect(intersecting: one, other) == nil && !one.intersects(other))
        #expect(!Outline(one).overlaps(Outline(other)))
      }
      // A thousandth of the last decimal is more than a rounding error, so this rectangle overlaps.
      let nearer = Rect(second.minX - 0.001 / scale, 0, 50, 10)
      #expect(first.intersects(nearer) && Outline(first).overlaps(Outline(nearer)))
    }
  }

  @Test("Rectangles intersect exactly if they have an intersection")
  func agreement() {
    var generator = SeededGenerator(seed: 1)
    var found = 0
    for _ in 0..<2_000 {
      let sides = (0..<8).map { _ in Double(Int.random(in: 0...6, using: &generator)) }
      let first = Rect(sides[0], sides[1], sides[2], sides[3])
      let second = Rect(sides[4], sides[5], sides[6], sides[7])
      let common = Rect(intersecting: first, second)
      #expect(first.intersects(second) == (common != nil))
      #expect(Rect(intersecting: second, first) == common)
      if let common {
        found += 1
        #expect(first.contains(common) && second.contains(common))
      }
      let both = first.union(second)
      #expect(both.minX == min(first.minX, second.minX) && both.minY == min(first.minY, second.minY))
      #expect(both.maxX == max(first.maxX, second.maxX) && both.maxY == max(first.maxY, second.maxY))
    }
    #expect(found > 200)
  }

  @Test("A point or a rectangle is inside up to the edge, and not beyond any of the four")
  func contains() {
    let rect = Rect(10, 20, 30, 40)
    for (x, y, isInside) in [
      (10, 20, true), (40, 60, true), (25, 20, true), (10, 40, true), (9, 40, false), (41, 40, false), (25, 19, false),
      (25, 61, false),
    ] as [(Double, Double, Bool)] {
      #expect(rect.contains(Point(x: x, y: y)) == isInside, "\(x), \(y)")
    }
    #expect(rect.contains(rect) && rect.contains(Rect(11, 21, 28, 38)))
    for other in [Rect(9, 20, 30, 40), Rect(10, 19, 30, 40), Rect(10, 20, 31, 40), Rect(10, 20, 30, 41)] {
      #expect(!rect.contains(other), "\(other)")
    }
    #expect(rect.center == Point(x: 25, y: 40) && rect.area == 1_200)
  }
}
