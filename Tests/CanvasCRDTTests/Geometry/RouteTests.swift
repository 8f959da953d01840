import TestSupport
import Testing

@testable import CanvasCRDT

@Suite("Routes of lines")
struct RouteTests {
  private let line = Identifier("b00-000-00z")!
  private let first = Identifier("afy-kw5-t7o")!
  private let second = Identifier("k3j-9x2-m1p")!
  private let topLeft = BoxPlace(x: 0, y: 0)

  private func shape(_ id: Identifier, _ kind: ShapeKind, _ box: Rect, _ assign: (inout Properties) -> Void = { _ in })
    -> Shape
  {
    var set = Properties()
    set.kind = kind
    set.position = box.origin
    set.size = box.size
    assign(&set)
    return Shape(id: id, properties: set, nameStamp: Stamp(milliseconds: 1, counter: 0, actor: id)!)
  }

  private func box(_ x: Double, _ y: Double, _ width: Double = 100, _ height: Double = 60) -> Rect {
    Rect(x, y, width, height)
  }

  /// The points of an elbow line between two shapes. Its ends are tied to their middles if no places are given.
  private func way(
    _ one: Shape,
    _ other: Shape,
    from: BoxPlace = .middle,
    to: BoxPlace = .middle,
    strokeWidth: Double = 2
  ) -> [Point] {
    let line = shape(line, .line, box(0, 0)) {
      $0.route = .elbow
      $0.strokeWidth = strokeWidth
      $0.from = Tie(shape: one.id, place: from)
      $0.to = Tie(shape: other.id, place: to)
    }
    return line.drawn { $0 == one.id ? one : $0 == other.id ? other : nil }.pathPoints
  }

  private func expect(_ points: [Point], _ wanted: [(Double, Double)], _ location: SourceLocation = #_sourceLocation) {
    let isSame =
      points.count == wanted.count
      && zip(points, wanted).allSatisfy { abs($0.x - $1.0) < 0.02 && abs($0.y - $1.1) < 0.02 }
    #expect(isSame, "\(points)", sourceLocation: location)
  }

  // MARK: - Elbows

  @Test("S17: an elbow line turns as little as it can, halfway, and is straight where sides face each other")
  func elbows() {
    let one = shape(first, .rectangle, box(0, 0))
    expect(way(one, shape(second, .rectangle, box(300, 200))), [(100, 30), (350, 30), (350, 200)])
    expect(way(one, shape(second, .rectangle, box(300, 40))), [(100, 30), (200, 30), (200, 70), (300, 70)])
    expect(way(one, shape(second, .ellipse, box(300, 0))), [(100, 30), (300, 30)])
    expect(way(one, shape(second, .rectangle, box(0, 300))), [(50, 60), (50, 300)])
    // There is no space for the usual distance, and none is needed.
    expect(way(one, shape(second, .rectangle, box(110, 0))), [(100, 30), (110, 30)])
  }

  @Test("S17: an end tied to a place leaves through the nearest side and goes around the shape")
  func places() {
    let one = shape(first, .rectangle, box(0, 0))
    let left = BoxPlace(shareX: 0, shareY: 0.5)
    let points = way(one, shape(second, .rectangle, box(300, 0)), from: left)
    #expect(points.first.map { abs($0.x) < 0.02 && abs($0.y - 30) < 0.02 } == true)
    #expect(points[1].x < -10 && abs(points[1].y - 30) < 0.02)
    #expect(points[2].y < 0 || points[2].y > 60, "it goes around: \(points)")
  }

  @Test(
    "S17: a line turns at a distance from the shape that grows with its width, up to 100",
    arguments: [
      (0, 16), (2, 20), (10, 36), (42, 100), (1_000, 100),
    ]
  )
  func distances(strokeWidth: Double, distance: Double) {
    let one = shape(first, .rectangle, box(0, 0))
    let left = BoxPlace(shareX: 0, shareY: 0.5)
    let points = way(one, shape(second, .rectangle, box(900, 0)), from: left, strokeWidth: strokeWidth)
    #expect(abs(points[1].x + distance) < 0.02, "\(points)")
  }

  @Test("S17: an elbow line without ties turns once; the points between its ends mean nothing")
  func free() {
    let drawn = shape(line, .line, box(10, 20)) {
      $0.route = .elbow
      $0.path = Path([(0, 0), (30_000, 65_535), (65_535, 65_535)].map { Path.Point(BoxPlace(x: $0, y: $1)) })!
    }.drawn { _ in nil }
    expect(drawn.pathPoints, [(10, 20), (110, 20), (110, 80)])
    let dot = shape(line, .line, box(10, 20)) {
      $0.route = .elbow
      $0.path = Path([topLeft, BoxPlace(x: .max, y: 0), topLeft].map { Path.Point($0) })!
    }.drawn { _ in nil }
    expect(dot.pathPoints, [(10, 20), (10, 20)])
  }

  @Test("S17: both ends at one shape: the line leaves it, and comes back through another side")
  func same() {
    let one = shape(first, .rectangle, box(0, 0))
    let points = way(one, one)
    let turns = points.dropFirst().dropLast()
    #expect(turns.count >= 1 && turns.allSatisfy { !Box(one.outline.bounds).contains($0) }, "\(points)")
  }

  @Test("S17: between any two shapes with space around them, an elbow line crosses neither and has right angles only")
  func clear() {
    var generator = SplitMix(seed: 17)
    for _ in 0..<2_000 {
      func random(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &generator) }
      func random(_ id: Identifier) -> Shape {
        shape(
          id,
          [.rectangle, .ellipse, .star, .roundedRectangle].randomElement(using: &generator)!,
          box(random(-500...500), random(-500...500), random(20...300), random(20...300))
        ) { $0.rotation = Bool.random(using: &generator) ? 0 : random(0...360) }
      }
      func place() -> BoxPlace {
        Bool.random(using: &generator) ? .middle : BoxPlace(x: .random(in: 0 ... .max, using: &generator), y: 0)
      }
      let (one, other) = (random(first), random(second))
      let boxes = [Box(one.outline.bounds), Box(other.outline.bounds)]
      // Twice the distance to a shape, and a little more.
      let space = 42.0
      let isApart =
        boxes[0].maxX + space < boxes[1].minX || boxes[1].maxX + space < boxes[0].minX
        || boxes[0].maxY + space < boxes[1].minY || boxes[1].maxY + space < boxes[0].minY
      guard isApart else { continue }
      let points = way(one, other, from: place(), to: place())
      let pieces = Array(zip(points, points.dropFirst()))
      for (index, (from, to)) in pieces.enumerated() {
        #expect(abs(from.x - to.x) < 0.1 || abs(from.y - to.y) < 0.1, "\(points)")
        // The first piece begins within the shape that it leaves, and the last one ends in the other.
        for (at, shape) in boxes.enumerated() where !(index == 0 && at == 0) && !(index == pieces.count - 1 && at == 1)
        {
          let isAcross =
            min(from.x, to.x) < shape.maxX - 0.1 && max(from.x, to.x) > shape.minX + 0.1
            && min(from.y, to.y) < shape.maxY - 0.1 && max(from.y, to.y) > shape.minY + 0.1
          #expect(!isAcross, "\(points) crosses \(shape)")
        }
      }
      #expect(points.count <= 7, "\(points)")
    }
  }

  // MARK: - Curves

  private func curve(_ places: [(UInt16, UInt16)], _ assign: (inout Properties) -> Void = { _ in }) -> Shape {
    shape(line, .line, box(0, 0, 100, 100)) {
      $0.route = .curved
      $0.strokeWidth = 2
      $0.path = Path(places.map { Path.Point(BoxPlace(x: $0, y: $1)) })!
      assign(&$0)
    }
  }

  @Test("S17: a curved line leads through all of its points, as a parabola through three; two points are straight")
  func curves() throws {
    let drawn = try #require(DrawnLine(curve([(0, 65_535), (32_768, 0), (65_535, 65_535)])))
    #expect(drawn.pieces.count == 4)
    expect(drawn.pieces.map { $0.to }, [(25, 25), (50, 0), (75, 25), (100, 100)])
    // On a parabola, the middle of a chord's curve lies straight above the middle of the chord.
    expect(drawn.pieces.map { $0.points(steps: 2)[1] }, [(12.5, 56.25), (37.5, 6.25), (62.5, 6.25), (87.5, 56.25)])
    let straight = try #require(DrawnLine(curve([(0, 0), (65_535, 65_535)])))
    #expect(straight.pieces == [.init(from: Point(x: 0, y: 0), control: nil, to: Point(x: 100, y: 100), width: 2)])
  }

  @Test("S17: a curve stays between its points, is smooth, and turns with the box")
  func smooth() throws {
    var generator = SplitMix(seed: 17)
    for _ in 0..<500 {
      let places = (0..<Int.random(in: 3...9, using: &generator)).map { _ in
        (UInt16.random(in: 0 ... .max, using: &generator), UInt16.random(in: 0 ... .max, using: &generator))
      }
      let shape = curve(places)
      let pieces = try #require(DrawnLine(shape)).pieces
      for (index, piece) in pieces.enumerated() {
        let ends = [shape.pathPoints[index / 2], shape.pathPoints[index / 2 + 1]]
        for point in piece.points(steps: 8) {
          #expect(point.x >= ends.map { $0.x }.min()! - 1e-9 && point.x <= ends.map { $0.x }.max()! + 1e-9)
          #expect(point.y >= ends.map { $0.y }.min()! - 1e-9 && point.y <= ends.map { $0.y }.max()! + 1e-9)
        }
        guard index > 0, let before = pieces[index - 1].control, let after = piece.control else { continue }
        let (comes, goes) = (
          Point(x: piece.from.x - before.x, y: piece.from.y - before.y),
          Point(x: after.x - piece.from.x, y: after.y - piece.from.y)
        )
        #expect(comes.x * goes.x + comes.y * goes.y >= 0, "it turns at \(piece.from)")
      }
      let turned = try #require(DrawnLine(curve(places) { $0.rotation = 90 }))
      let middle = Point(x: 50, y: 50)
      for (piece, other) in zip(pieces, turned.pieces) {
        let wanted = Point(x: middle.x - (piece.to.y - middle.y), y: middle.y + piece.to.x - middle.x)
        #expect(abs(other.to.x - wanted.x) < 1e-9 && abs(other.to.y - wanted.y) < 1e-9)
      }
    }
  }

  @Test("S17: an arrow at a curve points along it, and a caption stands on the curve")
  func ends() throws {
    let arrow = curve([(0, 65_535), (32_768, 0), (65_535, 65_535)]) { ($0.toEnd, $0.text) = (.arrow, "yes") }
    guard case .arrow(let tip, let left, let right)? = try #require(DrawnLine(arrow)).heads.first else {
      Issue.record("no arrow")
      return
    }
    let base = left.middle(to: right)
    // The curve is smooth up to the arrow.
    let pieces = try #require(DrawnLine(arrow)).pieces
    let (before, last) = (pieces[2], pieces[3])
    let (comes, goes) = (try #require(before.control), try #require(last.control))
    #expect(
      abs((before.to.x - comes.x) * (goes.y - last.from.y) - (before.to.y - comes.y) * (goes.x - last.from.x)) < 1e-6
    )
    // The curve arrives from the control point (87.5, 50).
    expect([tip], [(100, 100)])
    #expect(abs((tip.y - base.y) / (tip.x - base.x) - 4) < 0.01)
    expect([arrow.halfway], [(50, 0)])
    // A wide line has arrowheads that are longer than the curve's last piece. The curve must not turn back in them.
    let wide = curve([(0, 65_535), (32_768, 0), (65_535, 65_535)]) {
      $0.strokeWidth = 18
      $0.fromEnd = .arrow
      $0.toEnd = .arrow
    }
    let ends = try #require(DrawnLine(wide)).pieces
    for (end, piece) in [(Point(x: 0, y: 100), ends[0]), (tip, ends[3])] {
      let base = end.x == 0 ? piece.from : piece.to
      #expect(try #require(piece.control).distance(to: base) < 0.01 && base.distance(to: end) < 60, "\(piece)")
    }
    expect([curve([(0, 0), (65_535, 0), (65_535, 65_535), (65_535, 65_535)]).halfway], [(100, 0)])
  }
}
