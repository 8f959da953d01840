import Testing

@testable import CanvasCRDT

@Suite("The nearest free place")
struct FreePlaceTests {
  private func index(of outlines: [Outline]) -> OverlapIndex {
    OverlapIndex(
      outlines.enumerated().map {
        (identifier: Identifier(packed: UInt64($0.offset) * 7_919_003)!, outline: $0.element)
      }
    )
  }

  private func rectangle(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> Outline {
    Outline(Rect(x, y, width, height))
  }

  private func distance(_ one: Point, _ other: Point) -> Double {
    ((one.x - other.x) * (one.x - other.x) + (one.y - other.y) * (one.y - other.y)).squareRoot()
  }

  @Test("The way out of one rectangle is the shortest, to the last digit")
  func oneRectangle() {
    let scene = index(of: [rectangle(0.1, 0.2, 100, 50)])
    #expect(scene.freePlace(for: Size(width: 10, height: 10), near: Point(x: 50, y: 30)) == Point(x: 50, y: 0.2 + 50))
    #expect(scene.freePlace(for: Size(width: 10, height: 10), near: Point(x: 95, y: 20)) == Point(x: 100.1, y: 20))
    let above = scene.freePlace(for: Size(width: 10, height: 10), near: Point(x: 50, y: 5))
    #expect(above.map { $0.x == 50 && ($0.y - -9.8).magnitude < 1e-12 } == true)
  }

  @Test("Among upright rectangles with whole coordinates it is exactly the nearest", arguments: 1...40)
  func uprightScenes(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    func whole(_ range: ClosedRange<Int>) -> Double { Double(Int.random(in: range, using: &generator)) }
    let outlines = (0..<Int(whole(1...60))).map { _ in
      rectangle(whole(-100...100), whole(-100...100), whole(5...60), whole(5...60))
    }
    let scene = index(of: outlines)
    for _ in 0..<8 {
      let size = Size(width: whole(1...40), height: whole(1...40))
      let near = Point(x: whole(-120...120), y: whole(-120...120))
      // In the nearest free place, each coordinate is one of two kinds: the wanted coordinate, or a coordinate at which
      // a side of the box touches a side of an outline.
      let columns = [near.x] + outlines.flatMap { [$0.position.x - size.width, $0.position.x + $0.size.width] }
      let rows = [near.y] + outlines.flatMap { [$0.position.y - size.height, $0.position.y + $0.size.height] }
      let places = columns.flatMap { x in rows.map { y in Point(x: x, y: y) } }.sorted {
        (distance($0, near), $0.y, $0.x) < (distance($1, near), $1.y, $1.x)
      }
      let nearest = places.first { place in
        let box = Rect(origin: place, size: size)
        return !outlines.contains { box.intersects(Rect(origin: $0.position, size: $0.size)) }
      }
      #expect(scene.freePlace(for: size, near: near) == nearest, "seed \(seed), size \(size), near \(near)")
    }
  }

  @Test("Among shapes of all kinds nothing free is nearer", arguments: 1...30)
  func mixedScenes(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var random = RandomOutlines()
    random.reach = 150
    random.magnitudes = 1...2
    let offset = seed.isMultiple(of: 5) ? 9e6 : 0
    let outlines = (0..<Int.random(in: 20...80, using: &generator)).map { _ in
      var outline = random.next(using: &generator)
      outline.position.x += offset
      outline.position.y -= offset
      return outline
    }
    let radius = outlines.map { Swift.max($0.size.width, $0.size.height) / 2 }.max() ?? 0
    let scene = index(of: outlines)
    var moved = 0
    for _ in 0..<6 {
      let size = Size(
        width: Double.random(in: 1...50, using: &generator),
        height: Double.random(in: 1...50, using: &generator)
      )
      let near = Point(
        x: offset + Double.random(in: -150...150, using: &generator),
        y: Double.random(in: -150...150, using: &generator) - offset
      )
      guard let place = scene.freePlace(for: size, near: near) else {
        Issue.record("nothing found, seed \(seed)")
        continue
      }
      #expect(scene.overlapping(Rect(origin: place, size: size)) == [])
      let found = distance(place, near)
      if found == 0 { continue }
      moved += 1
      let bound = found - radius / 1_800 - 1e-6
      // Tries points on a fine polar grid around the wanted place. No free point may be nearer than the place that was
      // found.
      for ring in 1...40 {
        for spoke in 0..<90 {
          let direction = Direction(degrees: Double(spoke) * 4 + Double(ring))
          let out = bound * Double(ring) / 40
          let other = Point(x: near.x + out * direction.cosine, y: near.y + out * direction.sine)
          guard out > 0, scene.isFree(Rect(origin: other, size: size)) else { continue }
          Issue.record("seed \(seed): \(other) is free and nearer to \(near) than \(place)")
        }
      }
    }
    #expect(moved > 0)
  }

  @Test("It stays within the positions that shapes may have")
  func walls() {
    let limit = OverlapIndex.positionMax
    let scene = index(of: [rectangle(limit - 100, -limit, 1_000, 500)])
    #expect(
      scene.freePlace(for: Size(width: 10, height: 10), near: Point(x: limit, y: 20 - limit))
        == Point(x: limit - 110, y: 20 - limit)
    )
    #expect(
      OverlapIndex().freePlace(for: Size(width: 10, height: 10), near: Point(x: 1e9, y: .nan))
        == Point(x: limit, y: -limit)
    )
    let everywhere = index(of: [rectangle(-2 * limit, -2 * limit, 4 * limit, 4 * limit)])
    #expect(everywhere.freePlace(for: Size(width: 10, height: 10), near: Point(x: 0, y: 0)) == nil)
    #expect(scene.freePlace(for: Size(width: .nan, height: 10), near: Point(x: 0, y: 0)) == nil)
  }

  @Test("It doesn't depend on the order in which the shapes came")
  func order() {
    var generator = SeededGenerator(seed: 77)
    var random = RandomOutlines()
    random.reach = 200
    random.magnitudes = 1...2
    let shapes = (0..<120).map {
      (identifier: Identifier(packed: UInt64($0) * 991)!, outline: random.next(using: &generator))
    }
    let expected = OverlapIndex(shapes)
    for _ in 0..<5 {
      var other = OverlapIndex()
      for shape in shapes.shuffled(using: &generator) { _ = other.update(shape.identifier, to: shape.outline) }
      for x in stride(from: -200.0, to: 200, by: 80) {
        let near = Point(x: x, y: x / 2)
        let size = Size(width: 30, height: 20)
        #expect(other.freePlace(for: size, near: near) == expected.freePlace(for: size, near: near))
      }
    }
  }

  @Test("A search that takes too long goes past the nearest of the four sides of all shapes")
  func beside() {
    let scene = index(of: [rectangle(0, 0, 60, 50), Outline(.ellipse, 40, 10, 60, 30)])
    for (near, place) in [
      ((50, 40), (50, 50)), ((2, 25), (-10, 25)), ((95, 20), (100, 20)), ((50, 1), (50, -10)),
    ] as [((Double, Double), (Double, Double))] {
      let found = scene.freePlace(
        for: Size(width: 10, height: 10),
        near: Point(x: near.0, y: near.1),
        limits: FreePlaceSearch.Limits(sidesMax: 0)
      )
      #expect(found == Point(x: place.0, y: place.1))
    }
  }

  @Test("A search that takes too long still answers with a free place")
  func limits() {
    var generator = SeededGenerator(seed: 5)
    var random = RandomOutlines()
    random.reach = 100
    random.magnitudes = 1...2
    let scene = index(of: (0..<100).map { _ in random.next(using: &generator) })
    let size = Size(width: 10, height: 10)
    let near = Point(x: 0, y: 0)
    let nearest = scene.freePlace(for: size, near: near)
    var answers: Set<Point?> = [nearest]
    for limits in [(0, 400_000), (10_000, 400_000), (30_000, 400_000), (1_000_000, 0), (1_000_000, 500)] {
      let place = scene.freePlace(
        for: size,
        near: near,
        limits: FreePlaceSearch.Limits(comparisonsMax: limits.0, sidesMax: limits.1)
      )
      #expect(place.map { scene.overlapping(Rect(origin: $0, size: size)) == [] } == true)
      answers.insert(place)
    }
    // The test covers a limit only if at least two limits lead to different answers.
    #expect(answers.count > 1)
  }
}
