import Testing

@testable import CanvasCRDT

@Suite("The overlap index")
struct OverlapIndexTests {
  private static func identifier(_ number: Int) -> Identifier {
    // Scatters the identifiers, so that their order differs from the order of creation.
    Identifier(packed: UInt64(number) &* 7_919_000_003 % Identifier.packedLimit)!
  }

  /// All overlapping pairs after one shape has changed. Keeps the known pairs of other shapes, and compares the changed
  /// shape with every other shape.
  private func pairsByForce(
    _ shapes: [Identifier: Outline],
    changed: Identifier,
    before: Set<ShapePair>
  ) -> Set<ShapePair> {
    var pairs = before.filter { $0.first != changed && $0.second != changed }
    guard let outline = shapes[changed] else { return pairs }
    for (other, otherOutline) in shapes where other != changed && otherOutline.overlaps(outline) {
      pairs.insert(ShapePair(changed, other))
    }
    return pairs
  }

  @Test("After every step of a random script it knows the pairs that brute force finds", arguments: 1...12)
  func againstBruteForce(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var random = RandomOutlines()
    random.magnitudes = seed.isMultiple(of: 3) ? 0...6 : 0...2.5
    random.reach = seed.isMultiple(of: 4) ? 1e7 : 300
    var index = OverlapIndex()
    var shapes: [Identifier: Outline] = [:]
    var pairs: Set<ShapePair> = []
    var began = 0
    var ended = 0
    for step in 0..<400 {
      let identifier = OverlapIndexTests.identifier(Int.random(in: 0..<60, using: &generator))
      var outline: Outline?
      switch Int.random(in: 0..<10, using: &generator) {
      case 0, 1: outline = nil
      case 2, 3, 4:
        outline = shapes[identifier]
        outline?.position.x += Double.random(in: -20...20, using: &generator)
      case 5: outline = shapes.min { $0.key < $1.key }?.value
      default: outline = random.next(using: &generator)
      }
      shapes[identifier] = outline
      let changes = index.update(identifier, to: outline)
      let expected = pairsByForce(shapes, changed: identifier, before: pairs)
      #expect(changes.began == expected.subtracting(pairs).sorted(), "seed \(seed), step \(step)")
      #expect(changes.ended == pairs.subtracting(expected).sorted(), "seed \(seed), step \(step)")
      #expect(index.pairs == expected.sorted(), "seed \(seed), step \(step)")
      #expect(index.pairCount == expected.count, "seed \(seed), step \(step)")
      #expect(index.count == shapes.count)
      pairs = expected
      began += changes.began.count
      ended += changes.ended.count
      guard step.isMultiple(of: 40) else { continue }
      checkQuestions(index, shapes, &generator, random.reach)
      let bulk = OverlapIndex(shapes.map { (identifier: $0.key, outline: $0.value) })
      #expect(bulk.pairs == expected.sorted())
    }
    #expect(began > 20 && ended > 20)
  }

  private func checkQuestions(
    _ index: OverlapIndex,
    _ shapes: [Identifier: Outline],
    _ generator: inout SeededGenerator,
    _ reach: Double
  ) {
    let point = Point(
      x: Double.random(in: -reach...reach, using: &generator),
      y: Double.random(in: -reach...reach, using: &generator)
    )
    let box = Rect(
      origin: point,
      size: Size(
        width: Double.random(in: 1...reach, using: &generator),
        height: Double.random(in: 1...reach, using: &generator)
      )
    )
    #expect(index.overlapping(box) == shapes.filter { $0.value.overlaps(Outline(box)) }.keys.sorted())
    #expect(index.shapes(at: point) == shapes.filter { $0.value.contains(point) }.keys.sorted())
    let met = shapes.filter {
      let bounds = $0.value.bounds
      return bounds.minX <= box.maxX && box.minX <= bounds.maxX && bounds.minY <= box.maxY && box.minY <= bounds.maxY
    }
    #expect(index.shapes(in: box) == met.keys.sorted())
    for (identifier, outline) in shapes {
      let expected = shapes.filter { $0.key != identifier && $0.value.overlaps(outline) }
      #expect(index.neighbours(of: identifier) == expected.keys.sorted())
      #expect(index.outline(of: identifier) == outline)
    }
  }

  @Test("A shape without a place or an area overlaps nothing")
  func nonsense() {
    var index = OverlapIndex()
    let square = Outline(Rect(0, 0, 10, 10))
    #expect(index.update(OverlapIndexTests.identifier(1), to: square).isEmpty)
    #expect(index.update(OverlapIndexTests.identifier(2), to: square).began.count == 1)
    var wrong = square
    for value in [Double.nan, .infinity, -.infinity] {
      wrong.position.x = value
      #expect(index.update(OverlapIndexTests.identifier(2), to: wrong).ended.count == 1)
      #expect(index.count == 1)
      #expect(index.update(OverlapIndexTests.identifier(2), to: square).began.count == 1)
    }
    wrong = square
    wrong.size.width = 0
    #expect(index.update(OverlapIndexTests.identifier(2), to: wrong).ended.count == 1)
    #expect(index.update(OverlapIndexTests.identifier(3), to: nil).isEmpty)
    #expect(index.overlapping(Rect(5, 5, 0, 1)) == [])
  }

  @Test("A frame meets the shapes that it shares area with, and not those of whose boxes it only covers a corner")
  func meeting() {
    let circle = OverlapIndexTests.identifier(1)
    let index = OverlapIndex([(circle, Outline(.ellipse, 0, 0, 100, 100))])
    #expect(index.meeting(Rect(0, 0, 14, 14)) == [])
    #expect(index.meeting(Rect(0, 0, 15, 15)) == [circle])
  }

  @Test("When too many overlap, all pairs end; they are found again when enough has changed")
  func crowded() {
    let stacked = (0..<20).map { offset in
      (identifier: Identifier(packed: UInt64(offset))!, outline: Outline(Rect(Double(offset), 0, 100, 100)))
    }
    var oneByOne = OverlapIndex(pairsMax: 100)
    var known: Set<ShapePair> = []
    func follow(_ changes: OverlapChanges) {
      known.formUnion(changes.began)
      known.subtract(changes.ended)
    }
    for (offset, shape) in stacked.enumerated() {
      follow(oneByOne.update(shape.identifier, to: shape.outline))
      // With the fifteenth shape there are 105 pairs, which is more than the limit.
      #expect(oneByOne.isCrowded == (offset >= 14))
      #expect(known == Set(oneByOne.pairs))
    }
    #expect(known.isEmpty && oneByOne.pairCount == 0)
    #expect(oneByOne.overlapping(Rect(0, 0, 1, 1)).count == 1)
    var bulk = OverlapIndex(stacked, pairsMax: 189)
    #expect(bulk.isCrowded && bulk.pairs.isEmpty)
    let again = bulk.lookAgain()
    #expect(!bulk.isWorthALook && again.isEmpty && bulk.isCrowded, "nothing has changed since it looked")
    #expect(OverlapIndex(stacked, pairsMax: 190).pairCount == 190)

    for (offset, shape) in stacked.dropLast(6).enumerated() {
      follow(oneByOne.update(shape.identifier, to: nil))
      #expect(known == Set(oneByOne.pairs))
      // A crowded index searches for pairs again once the changes are half as many as the shapes. The first search,
      // with 16 shapes left, finds too many pairs. The second, with 10, finds 45 and succeeds.
      #expect(oneByOne.isCrowded == (offset < 9))
    }
    #expect(known.count == 15)
  }

  @Test("R9: the index of a screen finds its pairs again by itself, and each change gives it steps, up to a bound")
  func shown() throws {
    // 201 shapes on one spot are 20,100 pairs, and 134 of them are 8,911.
    let stacked = (0..<201).map { (identifier: OverlapIndexTests.identifier($0), outline: Outline(Rect(0, 0, 9, 9))) }
    var index = OverlapIndex.shown(stacked)
    #expect(index.isCrowded && OverlapIndex.shown(Array(stacked.prefix(200))).pairCount == 19_900)
    for (number, shape) in stacked.prefix(67).enumerated() {
      index.stepsLeft = -1
      let changes = index.update(shape.identifier, to: nil)
      #expect(changes.began.count == (number == 66 ? 8_911 : 0) && index.isCrowded == (number < 66))
    }
    let away = stacked[0].identifier
    for left in [0, OverlapIndex.stepsMax(shapes: 134)] {
      index.stepsLeft = left
      _ = index.update(away, to: Outline(Rect(500, Double(left), 9, 9)))
      let steps = try #require(index.stepsLeft)
      #expect(!index.isCrowded && steps > left - 100 && steps <= OverlapIndex.stepsMax(shapes: 135))
      #expect(left > 0 || steps > 4_000)
    }
  }

  @Test("Where a move makes it too crowded, the pairs that the shape has left end too")
  func crowdedByAMove() {
    var index = OverlapIndex(pairsMax: 2)
    let boxes = [
      Rect(0, 0, 100, 1_000), Rect(50, 0, 100, 100), Rect(1_000, 0, 100, 100), Rect(1_000, 300, 100, 100),
      Rect(1_000, 600, 100, 100),
    ]
    for (number, box) in boxes.enumerated() {
      _ = index.update(OverlapIndexTests.identifier(number + 1), to: Outline(box))
    }
    let left = index.pairs
    #expect(left.count == 1)
    let changes = index.update(OverlapIndexTests.identifier(1), to: Outline(Rect(1_000, 0, 100, 1_000)))
    #expect(index.isCrowded && changes.began.isEmpty && Array(changes.ended) == Array(left))
  }

  @Test("No order of insertion makes the tree high", arguments: 0..<4)
  func height(order: Int) {
    var generator = SeededGenerator(seed: 9)
    var index = OverlapIndex()
    let count = 3_000
    for step in 0..<count {
      let x: Double
      switch order {
      case 0: x = Double(step) * 20
      case 1: x = Double(count - step) * 20
      case 2: x = step.isMultiple(of: 2) ? Double(step) * 20 : Double(-step) * 20
      default: x = 0
      }
      let outline = Outline(Rect(x, order == 3 ? 0 : 5, 10, 10))
      // Three thousand shapes at one place would have four million pairs. A few hundred shapes test the same code.
      if order == 3, step > 300 { break }
      _ = index.update(OverlapIndexTests.identifier(step), to: outline)
      if step.isMultiple(of: 3) {
        _ = index.update(OverlapIndexTests.identifier(Int.random(in: 0...step, using: &generator)), to: nil)
      }
    }
    let height = Int(index.tree.nodes[Int(index.tree.root)].height)
    #expect(height <= 17)
  }

  @Test("Rectangles of a list: all intersections, by offsets")
  func listOfRectangles() {
    var generator = SeededGenerator(seed: 4)
    for count in [0, 1, 2, 3, 50, 300] {
      let rects = (0..<count).map { _ in
        Rect(
          origin: Point(
            x: Double(Int.random(in: 0...100, using: &generator)),
            y: Double(Int.random(in: 0...100, using: &generator))
          ),
          size: Size(
            width: Double(Int.random(in: 0...20, using: &generator)),
            height: Double(Int.random(in: 0...20, using: &generator))
          )
        )
      }
      var expected: [RectIntersection] = []
      for first in 0..<count {
        for second in (first + 1)..<Swift.max(first + 1, count) {
          guard let common = Rect(intersecting: rects[first], rects[second]) else { continue }
          expected.append(RectIntersection(first: first, second: second, common: common))
        }
      }
      #expect(rects.intersections() == expected)
      #expect(count < 50 || expected.count > 5)
    }
    let nowhere = Rect(.nan, 0, 1, 1)
    #expect([nowhere, nowhere].intersections() == [])
  }

  // MARK: Thin shapes at an angle

  private static func bar(at center: Point, length: Double, degrees: Double, kind: ShapeKind = .rectangle) -> Outline {
    Outline(
      kind: kind,
      position: Point(x: center.x - length / 2, y: center.y - 0.5),
      size: Size(width: length, height: 1),
      rotation: degrees
    )
  }

  /// Parallel bars with a gap between neighbours.
  private static func parallelBars(_ count: Int, degrees: Double, length: Double) -> [(Identifier, Outline)] {
    let direction = Direction(degrees: degrees)
    return (0..<count).map { number in
      (identifier(number + 1), bar(at: direction.turning(0, 2 * Double(number)), length: length, degrees: degrees))
    }
  }

  @Test("Thin shapes at angles overlap as brute force finds, however they come and move", arguments: 1...6)
  func thinShapes(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let reach = seed.isMultiple(of: 3) ? 1e7 - 2_000 : 300
    let kinds = ShapeKind.outlines
    var index = OverlapIndex()
    var shapes: [Identifier: Outline] = [:]
    var pairs: Set<ShapePair> = []
    var found = 0
    for step in 0..<300 {
      let identifier = OverlapIndexTests.identifier(Int.random(in: 0..<50, using: &generator))
      var outline: Outline? = OverlapIndexTests.bar(
        at: Point(
          x: reach + Double.random(in: -200...200, using: &generator),
          y: Double.random(in: -200...200, using: &generator) - reach
        ),
        length: Double.random(in: 20...300, using: &generator),
        degrees: seed.isMultiple(of: 2) ? 45 : Double.random(in: 0...360, using: &generator),
        kind: kinds[Int.random(in: 0..<kinds.count, using: &generator)]
      )
      switch Int.random(in: 0..<8, using: &generator) {
      case 0: outline = nil
      case 1: outline?.size = Size(width: 40, height: 40)
      case 2, 3:
        outline = shapes[identifier] ?? outline
        outline?.position.x += Double.random(in: -3...3, using: &generator)
      default: break
      }
      shapes[identifier] = outline
      let changes = index.update(identifier, to: outline)
      let expected = pairsByForce(shapes, changed: identifier, before: pairs)
      #expect(changes.began == expected.subtracting(pairs).sorted(), "seed \(seed), step \(step)")
      #expect(changes.ended == pairs.subtracting(expected).sorted(), "seed \(seed), step \(step)")
      pairs = expected
      found += changes.began.count
      guard step.isMultiple(of: 50) else { continue }
      #expect(OverlapIndex(shapes.map { (identifier: $0.key, outline: $0.value) }).pairs == expected.sorted())
    }
    #expect(found > 50)
  }

  @Test(
    "The work for thousands of parallel bars grows with the bars, not with those whose upright boxes meet",
    arguments: [45, 33.3, 100]
  )
  func parallelBars(degrees: Double) {
    let bars = OverlapIndexTests.parallelBars(4_000, degrees: degrees, length: 100_000)
    var index = OverlapIndex(bars, stepsLeft: 400_000)
    #expect(!index.isCrowded)
    #expect(index.pairCount == 0)
    // A bar that crosses all others is added.
    index.stepsLeft = 400_000
    let across = OverlapIndexTests.bar(at: bars[2_000].1.center, length: 90_000, degrees: degrees + 90)
    #expect(index.update(OverlapIndexTests.identifier(9_999), to: across).began.count == 4_000)
    // One bar moves lengthwise between its neighbours, so no pair changes.
    index.stepsLeft = 2_000
    var moved = bars[700].1
    let along = Direction(degrees: degrees).turning(0.2, 0)
    moved.position = Point(x: moved.position.x + along.x, y: moved.position.y + along.y)
    #expect(index.update(bars[700].0, to: moved).isEmpty)
    #expect(!index.isCrowded)
  }

  @Test("Where no steps are left it is crowded: all pairs end, and begin again once there are steps to look")
  func outOfSteps() {
    // The tips of each star lie in gaps of the others. For most pairs, nearly all tips have to be compared with each
    // other.
    let stars = (0..<30).map { number in
      (
        OverlapIndexTests.identifier(number + 1),
        Outline(
          kind: .star,
          position: Point(x: Double(number), y: 0),
          size: Size(width: 100, height: 100),
          points: 64,
          innerRatio: 0.05
        )
      )
    }
    let expected = OverlapIndex(stars).pairs
    #expect(expected.count > 300)
    #expect(OverlapIndex(stars, stepsLeft: 1_000).isCrowded)

    var index = OverlapIndex(stepsLeft: 1_000_000)
    var known: Set<ShapePair> = []
    for (identifier, outline) in stars {
      if identifier == stars[20].0 { index.stepsLeft = 50 }
      let changes = index.update(identifier, to: outline)
      #expect(known.isDisjoint(with: changes.began) && known.isSuperset(of: changes.ended))
      known.formUnion(changes.began)
      known.subtract(changes.ended)
      #expect(known == Set(index.pairs))
    }
    #expect(index.isCrowded && known.isEmpty)
    // However many shapes leave, a crowded index without steps doesn't search for pairs by itself.
    for (identifier, _) in stars.prefix(29) { _ = index.update(identifier, to: nil) }
    #expect(index.isCrowded)
    for (identifier, outline) in stars { _ = index.update(identifier, to: outline) }
    index.stepsLeft = 1_000_000
    #expect(index.isWorthALook)
    #expect(index.lookAgain().began == expected)
    #expect(!index.isCrowded)

    // A search takes steps even where nothing is near.
    let apart = (1...100).map {
      (identifier: OverlapIndexTests.identifier($0), outline: Outline(Rect(Double($0) * 20, 0, 10, 10)))
    }
    index = OverlapIndex(apart, stepsLeft: 100_000)
    index.stepsLeft = 1_000
    #expect(index.update(apart[50].identifier, to: Outline(Rect(1_021, 0, 10, 10))).isEmpty)
    #expect(index.stepsLeft.map { $0 < 1_000 } == true)
  }
}

extension Outline {
  fileprivate var center: Point { Point(x: position.x + size.width / 2, y: position.y + size.height / 2) }
}
