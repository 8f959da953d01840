import Testing

@testable import CanvasCRDT

@Suite("The shape factory")
struct ShapeFactoryTests {
  private let area = Rect(-120.5, 40, 900, 600)

  private func lines(_ factory: ShapeFactory, count: Int, seed: UInt64) -> [String] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in
      let (id, properties) = factory.make(using: &generator)
      return "\(live(id, properties)) \(properties.kind)"
    }
  }

  private func live(_ id: Identifier, _ properties: Properties) -> Shape {
    var canvas = Canvas()
    canvas.apply(CanvasCRDT.Operation(shape: id, at: Stamp(time: 1, actor: id), set: properties))
    return canvas[id]!
  }

  @Test("one seed always makes the same shapes")
  func golden() {
    #expect(
      lines(ShapeFactory(area: area), count: 5, seed: 7) == [
        "(e17-wa6-cfp), X: 219.0, Y: 159.0, W: 150.0, H: 120.0, R: 63.0, G: 189.0, B: 165.0, Alpha: 0.5 rectangle",
        "(3q7-oy0-3im), X: 528.0, Y: 303.0, W: 150.0, H: 120.0, R: 226.0, G: 76.0, B: 184.0, Alpha: 0.8 star",
        "(3u9-xhy-w5j), X: 600.0, Y: 76.0, W: 150.0, H: 120.0, R: 10.0, G: 210.0, B: 99.0, Alpha: 1.0 roundedRectangle",
        "(dsl-t36-f83), X: -64.0, Y: 489.0, W: 150.0, H: 120.0, R: 193.0, G: 228.0, B: 94.0, Alpha: 1.0 roundedRectangle",
        "(23r-jta-qsi), X: 500.0, Y: 446.0, W: 150.0, H: 120.0, R: 34.0, G: 58.0, B: 206.0, Alpha: 0.1 rectangle",
      ]
    )
  }

  @Test("every number is whole and within its bounds, and reaches both of them")
  func withinBounds() throws {
    var factory = ShapeFactory(area: area)
    factory.widths = 20.5...24
    factory.heights = 30...33.9
    factory.rotations = -3...3
    factory.points = 3...5
    factory.cornerRadii = 4...6
    var generator = SeededGenerator(seed: 3)
    var seen: [Property: Set<Double>] = [:]
    for _ in 0..<3_000 {
      let (_, shape) = factory.make(using: &generator)
      try shape.check()
      for number in [shape.position.x, shape.position.y, shape.size.width, shape.size.height, shape.rotation] {
        #expect(number == number.rounded())
      }
      #expect(area.contains(Rect(origin: shape.position, size: shape.size)))
      seen[.kind, default: []].insert(Double(shape.kind.rawValue))
      seen[.size, default: []].insert(shape.size.width)
      seen[.innerRatio, default: []].insert(shape.size.height)
      seen[.rotation, default: []].insert(shape.rotation)
      seen[.alpha, default: []].insert(Double(shape.alpha))
      if shape.assigned.contains(.points) { seen[.points, default: []].insert(Double(shape.points)) }
      if shape.assigned.contains(.cornerRadius) { seen[.cornerRadius, default: []].insert(shape.cornerRadius) }
    }
    #expect(seen[.kind]?.count == 5)
    #expect(seen[.size] == [21, 22, 23, 24])
    #expect(seen[.innerRatio] == [30, 31, 32, 33])
    #expect(seen[.rotation] == [-3, -2, -1, 0, 1, 2, 3])
    #expect(seen[.alpha] == Set((1...10).map(Double.init)))
    #expect(seen[.points] == [3, 4, 5])
    #expect(seen[.cornerRadius] == [4, 5, 6])
  }

  @Test("bounds beyond what a shape may have, or that aren't numbers, still make allowed shapes")
  func absurdBounds() throws {
    var factory = ShapeFactory(area: Rect(.nan, -.infinity, .nan, 1e300))
    factory.kinds = []
    factory.widths = -5...0.2
    factory.heights = 1e9...1e12
    factory.rotations = -1e300...1e300
    factory.alphas = 11...30_000
    factory.points = -30_000...2
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<100 {
      let (_, shape) = factory.make(using: &generator)
      try shape.check()
      #expect(shape.kind == .rectangle)
      #expect(shape.size == Size(width: 1, height: 1e6))
      #expect(shape.alpha == 10)
    }
    let (_, circle) = ShapeFactory.circle(centredAt: Point(x: .infinity, y: .nan), using: &generator)
    try circle.check()
  }

  @Test("bright colours are of any hue, at least half saturated and seven tenths bright")
  func bright() {
    var generator = SeededGenerator(seed: 11)
    var sectors: Set<Int> = []
    for _ in 0..<2_000 {
      let color = Color.bright(using: &generator)
      let channels = [color.red, color.green, color.blue]
      let (high, low) = (Double(channels.max()!), Double(channels.min()!))
      #expect(high >= 178, "0.7 of 255, rounded")
      #expect((high - low) / high > 0.49)
      sectors.insert(channels.firstIndex(of: channels.max()!)! * 3 + channels.firstIndex(of: channels.min()!)!)
    }
    #expect(sectors.count == 6)
  }

  @Test("a circle of 100 is centred on the given point, a square of 100 is within the area")
  func circleAndSquare() {
    var generator = SeededGenerator(seed: 2)
    let (_, circle) = ShapeFactory.circle(centredAt: Point(x: 10.5, y: 300), using: &generator)
    #expect(circle.kind == .ellipse)
    #expect(circle.position == Point(x: -39.5, y: 250))
    #expect(circle.size == Size(width: 100, height: 100))
    #expect(circle.assigned.contains(.fill))
    let (_, square) = ShapeFactory(area: area).square(using: &generator)
    #expect(square.kind == .rectangle)
    #expect(area.contains(Rect(origin: square.position, size: Size(width: 100, height: 100))))
    #expect(square.size == Size(width: 100, height: 100))
    // No whole number lies in an area that is as small.
    let (_, beyond) = ShapeFactory(area: Rect(0.25, 0.25, 0.5, 0.5)).square(using: &generator)
    #expect(beyond.position == Point(x: 0.25, y: 0.25))
  }

  @Test("a shape describes itself in the documented format")
  func description() {
    var shape = Properties()
    shape.kind = .rectangle
    shape.position = Point(x: 45, y: 44)
    shape.size = Size(width: 89, height: 92)
    shape.fill = Color(red: 235, green: 198, blue: 65)
    shape.alpha = 7
    let id = Identifier("afy-kw5-t7o")!
    #expect(
      live(id, shape).description
        == "(afy-kw5-t7o), X: 45.0, Y: 44.0, W: 89.0, H: 92.0, R: 235.0, G: 198.0, B: 65.0, Alpha: 0.7"
    )
    shape.alpha = 10
    shape.position.x = -0.1
    #expect(
      "\(live(id, shape))"
        == "(afy-kw5-t7o), X: -0.1, Y: 44.0, W: 89.0, H: 92.0, R: 235.0, G: 198.0, B: 65.0, Alpha: 1.0"
    )
  }
}
