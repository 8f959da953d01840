import Testing

@testable import CanvasCRDT

@Suite("Rectangles")
struct RectTests {
  private func rect(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> Rect {
    Rect(origin: Point(x: x, y: y), size: Size(width: width, height: height))
  }

  @Test("The intersection is the part that both cover")
  func intersection() {
    #expect(Rect(intersecting: rect(0, 0, 100, 100), rect(40, 70, 100, 100)) == rect(40, 70, 60, 30))
    #expect(Rect(intersecting: rect(40, 70, 100, 100), rect(0, 0, 100, 100)) == rect(40, 70, 60, 30))
    #expect(Rect(intersecting: rect(-5, -5, 10, 10), rect(-1, -20, 2, 40)) == rect(-1, -5, 2, 10))
  }

  @Test("A rectangle inside another is the intersection, to the last bit")
  func inside() {
    let inner = rect(0.1, 0.7, 0.2, 0.1)
    let outer = rect(-1e7, -1e7, 2e7, 2e7)
    #expect(Rect(intersecting: inner, outer) == inner)
    #expect(Rect(intersecting: outer, inner) == inner)
    #expect(Rect(intersecting: inner, inner) == inner)
  }

  @Test(
    "Nothing is common where rectangles are apart, touch, or have no area",
    arguments: [
      (100, 0, 50, 50), (0, 100, 50, 50), (-50, 0, 50, 100), (100, 100, 1, 1), (200, 200, 1, 1),
      (50, 50, 0, 10), (50, 50, 10, 0), (60, 50, -10, 10), (.nan, 0, 100, 100), (0, 0, .nan, 100),
    ]
  )
  func nothing(x: Double, y: Double, width: Double, height: Double) {
    let square = rect(0, 0, 100, 100)
    let other = rect(x, y, width, height)
    #expect(Rect(intersecting: square, other) == nil)
    #expect(Rect(intersecting: other, square) == nil)
    #expect(!square.intersects(other))
    #expect(!other.intersects(square))
  }

  @Test("What intersects is what has an intersection")
  func agreement() {
    var generator = SeededGenerator(seed: 1)
    var found = 0
    for _ in 0..<2_000 {
      let sides = (0..<8).map { _ in Double(Int.random(in: 0...6, using: &generator)) }
      let first = rect(sides[0], sides[1], sides[2], sides[3])
      let second = rect(sides[4], sides[5], sides[6], sides[7])
      let common = Rect(intersecting: first, second)
      #expect(first.intersects(second) == (common != nil))
      #expect(Rect(intersecting: second, first) == common)
      if let common {
        found += 1
        #expect(first.contains(common) && second.contains(common))
        #expect(first.union(second).contains(first) && first.union(second).contains(second))
      }
    }
    #expect(found > 200)
  }
}
