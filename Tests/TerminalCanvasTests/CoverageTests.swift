import CanvasCRDT
import TestSupport
import Testing

@testable import TerminalCanvas

@Suite("Coverage")
struct CoverageTests {
  private func parts(_ polygons: [[Point]], width: Int = 20, height: Int = 12) -> [[Float]] {
    var coverage = Coverage(width: width, height: height)
    for polygon in polygons { coverage.add(polygon) }
    var parts = Array(repeating: Array(repeating: Float(0), count: width), count: height)
    coverage.take { row, column, part in parts[row][column] = part }
    return parts
  }

  @Test("A rectangle covers each pixel by the area that it has in it")
  func rectangle() {
    let box = Outline(Rect(1.25, 2.5, 2, 1))
    let parts = parts([box.polygon(flatness: 1)])
    #expect(parts[2][1...3] == [0.375, 0.5, 0.125])
    #expect(parts[3][1...3] == [0.375, 0.5, 0.125])
    #expect(parts.joined().reduce(0, +) == 2)
  }

  @Test("Any outline covers as many pixels as its area says", arguments: 0..<60)
  func area(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let outline = Outline(
      kind: ShapeKind.outlines.randomElement(using: &generator)!,
      position: Point(x: .random(in: 4...8, using: &generator), y: .random(in: 3...5, using: &generator)),
      size: Size(width: .random(in: 1...8, using: &generator), height: .random(in: 1...4, using: &generator)),
      rotation: .random(in: -360...360, using: &generator),
      cornerRadius: .random(in: 0...3, using: &generator),
      points: Int.random(in: 3...9, using: &generator),
      innerRatio: .random(in: 0.2...1, using: &generator)
    )
    let sum = parts([outline.polygon(flatness: 0.001)]).joined().reduce(0) { $0 + Double($1) }
    // Fractions below 0.002 are dropped, so the sum may be slightly too small.
    #expect(abs(sum - outline.area) < 0.06)
  }

  @Test("Parts outside the grid change nothing inside", arguments: 0..<40)
  func clipped(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let corners = (0..<5).map { _ in
      Point(x: .random(in: -30...50, using: &generator), y: .random(in: -30...40, using: &generator))
    }
    let small = parts([corners])
    // The same polygon in a larger grid, where no part of the polygon is cut off.
    let large = parts([corners.map { Point(x: $0.x + 40, y: $0.y + 40) }], width: 120, height: 100)
    for row in 0..<12 {
      for column in 0..<20 { #expect(abs(small[row][column] - large[row + 40][column + 40]) < 0.01) }
    }
  }

  @Test("Points that are far away, infinite or not a number are harmless")
  func far() {
    let far = 1e12
    let around = [Point(x: -far, y: -far), Point(x: far, y: -far), Point(x: far, y: far), Point(x: -far, y: far)]
    #expect(parts([around]).joined().allSatisfy { $0 > 0.99 })
    #expect(parts([[Point(x: .nan, y: 0), Point(x: 3, y: 3), Point(x: 3, y: 0)]]).joined().allSatisfy { $0 == 0 })
    #expect(parts([[Point(x: .infinity, y: 0), Point(x: 3, y: 3), Point(x: 3, y: 0)]]).joined().allSatisfy { $0 == 0 })
  }

  @Test("A line covers its length times its width, plus round corners", arguments: ShapeKind.outlines)
  func stroke(_ kind: ShapeKind) {
    let outline = Outline(kind, 10, 20, 60, 40, rotation: 30, cornerRadius: 8)
    let corners = outline.polygon(flatness: 0.01)
    var length = 0.0
    var from = corners.last!
    for to in corners {
      length += ((to.x - from.x) * (to.x - from.x) + (to.y - from.y) * (to.y - from.y)).squareRoot()
      from = to
    }
    let covered = parts(Stroke.polygons(along: corners, width: 2), width: 80, height: 80).joined().reduce(0, +)
    #expect(abs(Double(covered) - 2 * length) < 0.05 * length)
  }

  @Test("Nothing of one shape is left for the next", arguments: 0..<20)
  func leftovers(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var used = Coverage(width: 40, height: 30)
    for _ in 0..<300 {
      let reach = Double.random(in: 0.5...12, using: &generator)
      // Circles whose outermost points lie on pixel edges.
      let circle = Outline(
        kind: .ellipse,
        position: Point(
          x: Double(Int.random(in: -3...30, using: &generator)),
          y: .random(in: -3...25, using: &generator)
        ),
        size: Size(width: 2 * reach.rounded(.up), height: 2 * reach)
      )
      used.add(circle.polygon(flatness: 0.01))
      used.take { _, _, _ in }
    }
    var sum: Float = 0
    used.add([Point(x: -1, y: -1), Point(x: 41, y: -1), Point(x: 41, y: 31), Point(x: -1, y: 31)])
    used.take { _, _, part in sum += abs(part - 1) }
    #expect(sum < 0.01)
  }

  @Test("Taking the coverage empties it")
  func taking() {
    var coverage = Coverage(width: 8, height: 4)
    var line = Coverage(width: 8, height: 4)
    let box = Outline(Rect(-3, 1.5, 30, 30)).polygon(flatness: 1)
    for _ in 0..<3 {
      coverage.add(box)
      line.add(box)
      var sums = (0 as Float, 0 as Float)
      Coverage.take(&coverage, &line) { _, _, one, other in sums = (sums.0 + one, sums.1 + other) }
      #expect(sums == (20, 20))
      coverage.add(box)
      var sum: Float = 0
      coverage.take { _, _, part in sum += part }
      #expect(sum == 20)
    }
  }
}
