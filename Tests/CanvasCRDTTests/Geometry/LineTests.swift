import Testing

@testable import CanvasCRDT

@Suite("Lines and ink")
struct LineTests {
  private let square = Identifier("afy-kw5-t7o")!
  private let line = Identifier("b00-000-00z")!
  private let other = Identifier("k3j-9x2-m1p")!

  private func place(_ x: UInt16, _ y: UInt16) -> BoxPlace { BoxPlace(x: x, y: y) }

  private func shape(_ id: Identifier, _ kind: ShapeKind, _ assign: (inout Properties) -> Void = { _ in }) -> Shape {
    var set = Properties()
    set.kind = kind
    set.position = Point(x: 0, y: 0)
    set.size = Size(width: 100, height: 50)
    assign(&set)
    return Shape(id: id, properties: set, nameStamp: Stamp(milliseconds: 1, counter: 0, actor: id)!)
  }

  private func expect(
    _ points: [Point],
    _ wanted: [(Double, Double)],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(points.count == wanted.count, sourceLocation: sourceLocation)
    for (point, wanted) in zip(points, wanted) {
      #expect(
        abs(point.x - wanted.0) < 0.01 && abs(point.y - wanted.1) < 0.01,
        "\(point)",
        sourceLocation: sourceLocation
      )
    }
  }

  @Test("S14: without a path a line leads from corner to corner; places are turned with the box")
  func points() {
    expect(shape(line, .line).pathPoints, [(0, 0), (100, 50)])
    let turned = shape(line, .line) {
      $0.rotation = 90
      $0.path = Path([Path.Point(BoxPlace(x: 0, y: .max)), Path.Point(BoxPlace(x: .max, y: .max))])!
    }
    expect(turned.pathPoints, [(25, -25), (25, 75)])
    #expect(turned.place(of: turned.point(of: place(10, 40_000))) == place(10, 40_000))
    #expect(turned.place(of: Point(x: 1e6, y: -1e6)) == place(0, 0))
  }

  @Test("S14: a tied end lies where the shape is, however that is turned, and the other points stay")
  func ties() {
    let tied = shape(line, .line) {
      $0.from = Tie(shape: square, place: place(.max, 0))
      $0.path = Path([(0, 0), (30_000, 65_535), (65_535, 0)].map { Path.Point(BoxPlace(x: $0, y: $1)) })!
    }
    let middle = tied.pathPoints[1]
    var target = shape(square, .rectangle) { $0.position = Point(x: 500, y: 300) }
    let drawn = tied.drawn { $0 == square ? target : nil }
    expect(drawn.pathPoints, [(600, 300), (middle.x, middle.y), (100, 0)])
    #expect(drawn.properties.from == tied.properties.from)
    target = shape(square, .rectangle) { ($0.position, $0.rotation) = (Point(x: 500, y: 300), 180) }
    expect(tied.drawn { $0 == square ? target : nil }.pathPoints, [(500, 350), (middle.x, middle.y), (100, 0)])
  }

  @Test("S14: an end that is tied to the middle of a shape ends at the outline, on the way there")
  func middles() {
    let tied = shape(line, .line) {
      $0.from = Tie(shape: square, place: .middle)
      $0.to = Tie(shape: other, place: .middle)
    }
    // Both shapes are 100 by 100, and their centres are 400 apart.
    let kinds: [(ShapeKind, reach: Double)] = [(.rectangle, 50), (.ellipse, 50), (.text, 50)]
    for (kind, reach) in kinds {
      let find: (Identifier) -> Shape? = { id in
        shape(id, kind) {
          $0.size = Size(width: 100, height: 100)
          $0.position = Point(x: id == square ? 0 : 400, y: 0)
        }
      }
      expect(tied.drawn(find).pathPoints, [(50 + reach, 50), (450 - reach, 50)])
    }
    // The line's other end is inside the shape, so the line can't be cut at the outline. Its tied end is then drawn at
    // the shape's centre.
    let within = shape(line, .line) {
      $0.position = Point(x: 480, y: 60)
      $0.size = Size(width: 1, height: 1)
      $0.from = Tie(shape: square, place: .middle)
    }
    let large = shape(square, .rectangle) { $0.size = Size(width: 1_000, height: 1_000) }
    let points = within.drawn { _ in large }.pathPoints
    #expect(abs(points[0].x - 500) < 0.1 && abs(points[0].y - 500) < 0.1)
  }

  @Test("S14: a cut end lies on the outline's curve, to a quarter of a unit, also where the way grazes a round corner")
  func curves() {
    var random = SeededGenerator(seed: 5)
    for number in 0..<2_000 {
      let target = shape(square, number % 2 == 0 ? .roundedRectangle : .ellipse) {
        $0.size = Size(width: .random(in: 1...4_000, using: &random), height: .random(in: 1...4_000, using: &random))
        $0.cornerRadius = .random(in: 0...2_000, using: &random)
        $0.rotation = .random(in: 0...360, using: &random)
      }
      let tied = shape(line, .line) {
        $0.position = Point(
          x: .random(in: -9_000...9_000, using: &random),
          y: .random(in: -9_000...9_000, using: &random)
        )
        $0.size = Size(width: 1, height: 1)
        $0.from = Tie(shape: square, place: .middle)
      }
      let points = tied.drawn { _ in target }.pathPoints
      let outline = PlacedOutline(target.outline)
      guard !outline.contains(points[1]) else { continue }
      #expect(distance(from: points[0], to: outline.outline) < 0.25, "\(number)")
    }
  }

  /// The distance of a point from the curve. The curve is approximated by a polygon whose error is far below the
  /// tolerance of the test.
  private func distance(from point: Point, to outline: Outline) -> Double {
    let corners = outline.polygon(flatness: 0.001)
    var least = Double.infinity
    for (index, corner) in corners.enumerated() {
      let next = corners[index + 1 == corners.count ? 0 : index + 1]
      let (dx, dy) = (next.x - corner.x, next.y - corner.y)
      let square = dx * dx + dy * dy
      let along = square == 0 ? 0 : max(0, min(1, ((point.x - corner.x) * dx + (point.y - corner.y) * dy) / square))
      let (offX, offY) = (point.x - corner.x - dx * along, point.y - corner.y - dy * along)
      least = min(least, (offX * offX + offY * offY).squareRoot())
    }
    return least
  }

  @Test("S14: an end is cut at the side of a polygon or star that the way meets first, whichever that is")
  func firstSide() {
    var generator = SeededGenerator(seed: 17)
    var cuts = 0
    for _ in 0..<3_000 {
      let target = shape(square, Bool.random(using: &generator) ? .star : .polygon) {
        $0.points = Int16.random(in: PropertyRules.points, using: &generator)
        $0.innerRatio = [0.05, 1, Double.random(in: 0.05...1, using: &generator)].randomElement(using: &generator)!
        $0.size = Size(
          width: Double.random(in: 1...400, using: &generator),
          height: Double.random(in: 1...400, using: &generator)
        )
        $0.rotation = [0, Double.random(in: 0...360, using: &generator)].randomElement(using: &generator)!
      }
      let (across, down) = (target.properties.size.width, target.properties.size.height)
      let start = Point(
        x: across * Double.random(in: -2...3, using: &generator),
        y: down * Double.random(in: -2...3, using: &generator)
      )
      let end = target.point(of: .middle)
      // The line must enter at its first crossing with any side of the outline.
      let corners = target.outline.polygon(flatness: 1)
      var first: Double?
      for (index, corner) in corners.enumerated() {
        let next = corners[(index + 1) % corners.count]
        let (way, side) = (
          Point(x: end.x - start.x, y: end.y - start.y), Point(x: next.x - corner.x, y: next.y - corner.y)
        )
        let off = Point(x: corner.x - start.x, y: corner.y - start.y)
        let turn = way.x * side.y - way.y * side.x
        let (part, place) = ((off.x * side.y - off.y * side.x) / turn, (off.x * way.y - off.y * way.x) / turn)
        if (0...1).contains(part), (-1e-9...1 + 1e-9).contains(place) { first = min(part, first ?? .infinity) }
      }
      guard let first else { continue }
      guard let entry = target.entry(from: start) else { Issue.record("\(target) from \(start)"); continue }
      let wanted = Point(x: start.x + (end.x - start.x) * first, y: start.y + (end.y - start.y) * first)
      #expect(abs(entry.x - wanted.x) < 1e-6 && abs(entry.y - wanted.y) < 1e-6, "\(target) from \(start)")
      cuts += 1
    }
    #expect(cuts > 2_000)
  }

  @Test("S14: a tie to what is gone, or to a line, has no effect")
  func noTies() {
    let tied = shape(line, .line) { $0.to = Tie(shape: square, place: place(0, 0)) }
    #expect(tied.drawn { _ in nil } == tied)
    for kind in [ShapeKind.line, .ink] {
      #expect(tied.drawn { _ in shape(square, kind) { $0.position = Point(x: 9, y: 9) } } == tied)
    }
    let notALine = shape(line, .rectangle) { $0.to = Tie(shape: square, place: place(0, 0)) }
    #expect(notALine.drawn { _ in shape(square, .star) } == notALine)
  }

  @Test("a line that is untied from what isn't copied with it keeps its ends where they are drawn")
  func untied() {
    let tied = shape(line, .line) {
      $0.from = Tie(shape: square, place: place(0, 0))
      $0.to = Tie(shape: other, place: place(0, 0))
    }
    let find: (Identifier) -> Shape? = { id in
      shape(id, .rectangle) { $0.position = id == square ? Point(x: 7, y: 8) : Point(x: 207, y: 108) }
    }
    let untied = tied.untied(butFrom: { $0 == other }, find)
    #expect(untied.properties.from == nil && untied.properties.to?.shape == other)
    expect(untied.pathPoints, [(7, 8), (207, 108)])
    #expect(tied.untied(butFrom: { _ in true }, find) == tied)
    // A line that is drawn larger than a shape may be keeps its own points.
    let far = tied.untied(butFrom: { _ in false }) { id in
      shape(id, .rectangle) { $0.position = Point(x: id == square ? 0 : 3e6, y: 0) }
    }
    #expect(far.properties.from == nil && far.properties.to == nil && far.pathPoints == tied.pathPoints)
  }

  @Test("a path through points has a box of at least 1 by 1 around them, and keeps its widths")
  func leading() {
    var set = Properties()
    set.rotation = 30
    set.path = Path([Path.Point(place(0, 0), width: 50), Path.Point(place(9, 9), width: 70)])!
    set.lead(through: [Point(x: 10, y: 5), Point(x: -10, y: 5)])
    #expect(set.position == Point(x: -10, y: 5) && set.size == Size(width: 20, height: 1) && set.rotation == 0)
    #expect(set.path.points == [Path.Point(place(.max, 0), width: 50), Path.Point(place(0, 0), width: 70)])
    var upright = Properties()
    upright.lead(through: [Point(x: 0, y: 0), Point(x: 0.5, y: 8)])
    #expect(upright.assigned == [.position, .size, .path] && upright.size == Size(width: 1, height: 8))
  }

  @Test("an index of ties tells which lines go with a shape")
  func index() {
    var ties = TiedLines()
    let both = shape(line, .line) {
      $0.from = Tie(shape: square, place: place(0, 0))
      $0.to = Tie(shape: square, place: place(1, 1))
    }
    ties.update(line, to: both)
    #expect(ties.lines(of: square) == [line])
    ties.update(line, to: shape(line, .line) { $0.to = Tie(shape: other, place: place(0, 0)) })
    #expect(ties.lines(of: square).isEmpty && ties.lines(of: other) == [line])
    ties.update(square, to: shape(square, .line) { $0.from = Tie(shape: other, place: place(0, 0)) })
    ties.update(line, to: nil)
    #expect(ties.lines(of: other) == [square])
    ties.update(square, to: nil)
    #expect(ties.lines(of: other).isEmpty)
  }

  @Test("S14: an arrow's tip is the end, and the line ends at its base; a dot lies around the end")
  func heads() throws {
    let arrow = shape(line, .line) {
      $0.size = Size(width: 100, height: 1)
      $0.path = Path([Path.Point(place(0, 0)), Path.Point(place(.max, 0))])!
      $0.strokeWidth = 4
      $0.fromEnd = .dot
      $0.toEnd = .arrow
    }
    let drawn = try #require(DrawnLine(arrow))
    #expect(
      drawn.heads == [
        .dot(center: Point(x: 0, y: 0), radius: 6),
        .arrow(tip: Point(x: 100, y: 0), left: Point(x: 82, y: -9), right: Point(x: 82, y: 9)),
      ]
    )
    #expect(drawn.pieces == [.init(from: Point(x: 0, y: 0), control: nil, to: Point(x: 82, y: 0), width: 4)])
    for (x, y, distance) in [
      (50, 12, 10), (0, 5, -1), (-10, 0, 4), (90, 4, 0), (98, -1, 0), (103, 4, 5), (82, 12, 3), (70, 6, 4),
    ] as [(Double, Double, Double)] {
      #expect(drawn.distance(to: Point(x: x, y: y)) == distance, "\(x), \(y)")
    }
    #expect(DrawnLine(shape(line, .rectangle)) == nil)
  }

  @Test("S14: a line that is shorter than its arrow ends where it begins, and not behind that")
  func shortArrow() throws {
    let arrow = shape(line, .line) {
      $0.size = Size(width: 9, height: 1)
      $0.path = Path([Path.Point(place(0, 0)), Path.Point(place(.max, 0))])!
      $0.strokeWidth = 4
      $0.toEnd = .arrow
    }
    let drawn = try #require(DrawnLine(arrow))
    #expect(drawn.pieces == [.init(from: Point(x: 0, y: 0), control: nil, to: Point(x: 0, y: 0), width: 4)])
    #expect(drawn.heads == [.arrow(tip: Point(x: 9, y: 0), left: Point(x: -9, y: -9), right: Point(x: -9, y: 9))])
  }

  @Test("S15: ink is smooth between middles, straight at its ends, and as wide as its points say")
  func ink() throws {
    let stroke = shape(line, .ink) {
      $0.size = Size(width: 65_535, height: 65_535)
      $0.strokeWidth = 10
      $0.path = Path([Path.Point(place(0, 0)), Path.Point(place(0, 100)), Path.Point(place(100, 100), width: 50)])!
    }
    let drawn = try #require(DrawnLine(stroke))
    #expect(drawn.heads.isEmpty)
    #expect(drawn.pieces.map { $0.width } == [10, 10, 5])
    expect(drawn.pieces.map { $0.to }, [(0, 50), (50, 100), (100, 100)])
    #expect(drawn.pieces.map { $0.control != nil } == [false, true, false])
    expect(drawn.pieces[1].points(steps: 2), [(0, 50), (12.5, 87.5), (50, 100)])
    // Where somebody has only put down the pen, there is a dot.
    let dot = try #require(DrawnLine(inkThrough: [Point(x: 3, y: 4)], width: 4))
    expect(dot.pieces.flatMap { [$0.from, $0.to] }, [(3, 4), (3, 4), (3, 4), (3, 4)])
    #expect(DrawnLine(inkThrough: [], width: 4) == nil)
  }

  @Test("S16: a caption stands halfway along the line, bends and turns included, and where its ends are tied")
  func halfway() {
    expect([shape(line, .line).halfway], [(50, 25)])
    let bent = shape(line, .line) {
      $0.path = Path([(0, 0), (65_535, 0), (65_535, 65_535)].map { Path.Point(BoxPlace(x: $0, y: $1)) })!
    }
    expect([bent.halfway, bent.halfwayShare], [(75, 0), (0.75, 0)])
    // The same line, turned around the box's middle.
    let turned = shape(line, .line) { ($0.path, $0.rotation) = (bent.properties.path, 180) }
    expect([turned.halfway], [(25, 50)])
    let target = shape(square, .rectangle) { $0.position = Point(x: 500, y: 0) }
    let tied = shape(line, .line) { $0.to = Tie(shape: square, place: place(0, 0)) }
    expect([tied.drawn { $0 == square ? target : nil }.halfway], [(250, 0)])
    let none = shape(line, .line) { $0.path = Path([Path.Point(place(9, 9)), Path.Point(place(9, 9))])! }
    expect([none.halfway], [(0.01, 0.01)])
  }

  @Test("S16: a line has no part within its gap, and its round ends don't reach into it")
  func gap() throws {
    let gap = Rect(40, -10, 20, 20)
    func parts(_ points: [Point], width: Double = 4) throws -> [Point] {
      let straight = shape(line, .line) {
        $0.strokeWidth = width
        $0.lead(through: points)
      }
      var drawn = try #require(DrawnLine(straight))
      drawn.leaveGap(gap)
      return drawn.pieces.flatMap { [$0.from, $0.to] }
    }
    func points(_ places: (Double, Double)...) -> [Point] { places.map { Point(x: $0.0, y: $0.1) } }
    expect(try parts(points((0, 0), (100, 0))), [(0, 0), (38, 0), (62, 0), (100, 0)])
    expect(try parts(points((50, -100), (50, 0), (100, 0))), [(50, -100), (50, -12), (62, 0), (100, 0)])
    expect(try parts(points((45, 0), (55, 0))), [])
    // A line beside the gap is whole, however it is directed.
    expect(try parts(points((0, 12), (100, 12))), [(0, 12), (100, 12)])
    expect(try parts(points((0, 100), (30, 0))), [(0, 100), (30, 0)])
  }

  @Test("S16: a curve beside its gap is whole, and one that the gap cuts stays a curve")
  func gapInCurve() throws {
    // From (0, 0) by way of (50, 50) to (100, 0), so the curve's highest point is at (50, 25).
    let curved = shape(line, .line) {
      $0.strokeWidth = 4
      $0.route = .curved
      $0.lead(through: [Point(x: 0, y: 0), Point(x: 50, y: 25), Point(x: 100, y: 0)])
    }
    let whole = try #require(DrawnLine(curved))
    func cut(_ gap: Rect) -> [DrawnLine.Piece] {
      var drawn = whole
      drawn.leaveGap(gap)
      return drawn.pieces
    }
    // Above the curve, but within the upright boxes around its pieces.
    #expect(cut(Rect(origin: Point(x: 0, y: 18), size: Size(width: 10, height: 7))) == whole.pieces)
    let pieces = cut(Rect(origin: Point(x: 45, y: 20), size: Size(width: 10, height: 10)))
    #expect(pieces.count == whole.pieces.count && pieces.allSatisfy { $0.control != nil })
    // A gap that only the line's width reaches, and only its middle.
    #expect(cut(Rect(45, 26, 10, 10)) == pieces)
    #expect(pieces.first?.from == whole.pieces.first?.from && pieces.last?.to == whole.pieces.last?.to)
    // A gap in the middle of a piece leaves the parts on both sides of it.
    let first = whole.pieces[0]
    let middle = first.points(steps: 2)[1]
    let split = cut(Rect(middle.x - 1, middle.y - 1, 2, 2))
    #expect(split.count == whole.pieces.count + 1 && split[0].from == first.from && split[1].to == first.to)
    // Where the gap begins, and on the way there, the part lies on the curve.
    let ends = pieces.filter { $0.to.x < 50 }.map { $0.to.x }.max() ?? 0
    #expect((42.9...43.1).contains(ends))
    for piece in pieces {
      for point in piece.points(steps: 4) { #expect(whole.distance(to: point) < 0.1 - 2) }
    }
  }

  @Test("S16: a caption can be found wherever it may stand")
  func reach() {
    let plain = shape(line, .line) { $0.strokeWidth = 4 }
    #expect(!plain.hasCaption && plain.reach == plain.strokeReach)
    let captioned = shape(line, .line) { $0.text = "Yes" }
    #expect(captioned.hasCaption && captioned.reach == 124)
    let high = shape(line, .line) { $0.text = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10" }
    #expect(high.reach >= 10 * 25 / 2)
    #expect(!shape(line, .ink) { $0.text = "Yes" }.hasCaption)
    for words in ["W ", "W WWWWWWWWWWWW ", "W WWWWWWWWWWWWW ", "日本", "- W\n", "**W** "] {
      let long = shape(line, .line) { $0.text = Text(String(repeating: words, count: 200)) }
      let lines = TextLines(long.properties.text, width: Caption.widthMax).lines
      #expect(long.reach >= Double(lines.count) * 25 / 2 + Caption.margin, "\(words)")
    }
  }

  @Test("S7: neither overlaps anything")
  func overlaps() {
    for kind in [ShapeKind.line, .ink, .text] {
      #expect(!shape(line, kind).outline.overlaps(shape(square, .rectangle).outline))
      #expect(!kind.overlaps)
    }
  }
}
