import CanvasCRDT
import TerminalCanvas

/// A room's shapes as the screen needs them, kept up change by change: in their order, with their names, found by where
/// they are, and with the areas that they share.
struct LiveDrawing {
  private(set) var picture = RoomPicture()
  /// What is visible.
  private(set) var items: [Identifier: CanvasScene.Item] = [:]
  /// What is not, by its colour.
  private var hiddenFills: [Identifier: Color] = [:]
  /// All pairs that overlap, sorted; made when it is asked for.
  private var pairs: [ShapePair]?
  private var regions: [ShapePair: CommonArea] = [:]
  /// No line is wider, so that nothing that reaches into the view is missed.
  private var strokeWidthMax = 0.0

  init() {}

  init(_ canvas: Canvas) {
    picture = RoomPicture(canvas)
    for shape in canvas.shapes { note(shape) }
  }

  private mutating func note(_ shape: Shape) {
    if shape.properties.visible {
      items[shape.id] = CanvasScene.Item(shape)
      hiddenFills[shape.id] = nil
    } else {
      items[shape.id] = nil
      hiddenFills[shape.id] = shape.properties.fill
    }
    strokeWidthMax = max(strokeWidthMax, shape.properties.strokeWidth)
  }

  /// Takes in a change that the canvas holds by now; tells which pairs came to overlap or ceased to.
  mutating func follow(_ change: Change, in canvas: Canvas) -> OverlapChanges {
    if let shape = canvas[change.shape] {
      note(shape)
    } else {
      items[change.shape] = nil
      hiddenFills[change.shape] = nil
    }
    let changes = picture.follow(change, in: canvas)
    if !changes.isEmpty { pairs = nil }
    for pair in changes.ended { regions[pair] = nil }
    return changes
  }

  // MARK: - Reading

  var order: DrawingOrder { picture.order }
  var count: Int { picture.order.count }
  var overlapCount: Int { picture.overlaps.pairCount }

  func name(of shape: Identifier) -> String {
    (picture.names.name(of: shape)?.string ?? shape.text).printable
  }

  func fill(of shape: Identifier) -> Color {
    items[shape]?.fill ?? hiddenFills[shape] ?? Properties.Defaults.fill
  }

  mutating func overlappingPairs() -> [ShapePair] {
    if let pairs { return pairs }
    let made = picture.overlaps.pairs
    pairs = made
    return made
  }

  /// The frontmost shape at a place.
  func shape(at point: Point) -> Identifier? {
    picture.overlaps.shapes(at: point).max {
      (picture.order.index(of: $0) ?? -1) < (picture.order.index(of: $1) ?? -1)
    }
  }

  func shapes(touching box: Rect) -> [Identifier] { picture.overlaps.overlapping(box) }

  /// What may be seen in a box, from the back to the front.
  func visible(in box: Rect) -> [Identifier] {
    let reach = strokeWidthMax / 2
    let wider = Rect(
      origin: Point(x: box.minX - reach, y: box.minY - reach),
      size: Size(width: box.size.width + 2 * reach, height: box.size.height + 2 * reach)
    )
    let found = picture.overlaps.shapes(in: wider)
    if found.count * 8 < count {
      return found.sorted { (picture.order.index(of: $0) ?? 0) < (picture.order.index(of: $1) ?? 0) }
    }
    // So many that walking all of them is cheaper than sorting those that were found.
    if found.count == items.count { return picture.order.places.compactMap { items[$0.shape] == nil ? nil : $0.shape } }
    let wanted = Set(found)
    return picture.order.places.compactMap { wanted.contains($0.shape) ? $0.shape : nil }
  }

  /// Around everything visible; nothing where there is nothing.
  var bounds: Rect? {
    var bounds: Rect?
    for item in items.values { bounds = bounds?.union(item.outline.bounds) ?? item.outline.bounds }
    return bounds
  }

  // MARK: - Common areas

  /// What two shapes have in common, and of which outlines that was found.
  struct CommonArea {
    let first: Outline
    let second: Outline
    let loops: [[Point]]
    let share: Double
  }

  /// So many that have changed are found anew in one frame; the others follow in the next.
  private static let findingsMax = 400

  /// The common areas of pairs that have both shapes among those in view.
  /// - Returns: whether all of them are there.
  mutating func commonRegions(of visible: [Identifier], in box: Rect, into loops: inout [[Point]]) -> Bool {
    var findings = 0
    func add(_ pair: ShapePair, _ drawing: inout LiveDrawing) {
      guard let first = drawing.items[pair.first], let second = drawing.items[pair.second] else { return }
      if let known = drawing.regions[pair], known.first == first.outline, known.second == second.outline {
        loops += known.loops
        return
      }
      findings += 1
      guard findings <= LiveDrawing.findingsMax else {
        // What was common before is nearer to the truth than nothing.
        loops += drawing.regions[pair]?.loops ?? []
        return
      }
      loops += drawing.area(of: pair, first.outline, second.outline).loops
    }
    if visible.count * 4 > items.count {
      for pair in overlappingPairs() { add(pair, &self) }
    } else {
      for shape in visible {
        for neighbour in picture.overlaps.neighbours(of: shape) {
          // Each pair once: by the smaller identifier, or by the one that is in view.
          if shape < neighbour || !(items[neighbour]?.outline.bounds.intersects(box) ?? false) {
            add(ShapePair(shape, neighbour), &self)
          }
        }
      }
    }
    if regions.count > 2 * overlapCount + 1_000 { regions = [:] }
    return findings <= LiveDrawing.findingsMax
  }

  /// Goes on finding those that are missing. Whether none is any more.
  mutating func findCommonRegions(in box: Rect) -> Bool {
    var loops: [[Point]] = []
    return commonRegions(of: visible(in: box), in: box, into: &loops)
  }

  /// How much of the smaller of the two is common.
  mutating func share(of pair: ShapePair) -> Double? {
    guard let first = items[pair.first]?.outline, let second = items[pair.second]?.outline else { return nil }
    return area(of: pair, first, second).share
  }

  @discardableResult
  private mutating func area(of pair: ShapePair, _ first: Outline, _ second: Outline) -> CommonArea {
    if let known = regions[pair], known.first == first, known.second == second { return known }
    let loops = first.commonRegion(with: second)
    let smaller = min(first.area, second.area)
    let share = smaller > 0 ? min(1, OverlapShare.area(of: loops) / smaller) : 0
    let area = CommonArea(first: first, second: second, loops: loops, share: share)
    regions[pair] = area
    return area
  }
}
