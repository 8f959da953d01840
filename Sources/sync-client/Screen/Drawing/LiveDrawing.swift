import CanvasCRDT
import TerminalCanvas

/// A room's shapes in the form that the screen needs: their order, names, places and common areas. It is updated change
/// by change.
struct LiveDrawing {
  private(set) var picture = RoomPicture()
  /// The visible shapes as they are drawn now: a gliding shape is not at its real place yet.
  private(set) var items: [Identifier: CanvasScene.Item] = [:]
  private var glides = Glides()
  /// The colours of the hidden shapes.
  private var hiddenColors: [Identifier: Color] = [:]
  /// All pairs of shapes that overlap, sorted. They are computed only when they are needed.
  private var pairs: [ShapePair]?
  private var regions: [ShapePair: CommonArea] = [:]
  /// The width of the widest line in the drawing. A line outside the view may reach into the view by this width.
  private var strokeWidthMax = 0.0
  /// The time at which tied lines began to glide with the shapes that moved.
  private var linesGlideFrom: UInt64?

  init() {}

  init(_ canvas: Canvas) {
    picture = RoomPicture(canvas)
    for shape in canvas.shapes { note(canvas.drawn(shape)) }
  }

  /// - Parameter now: if given, the shape glides to its place instead of jumping.
  private mutating func note(_ shape: Shape, glidingAt now: UInt64? = nil) {
    if shape.properties.visible {
      let item = CanvasScene.Item(shape)
      items[shape.id] = glides.take(item, of: shape.id, from: now == nil ? nil : items[shape.id], at: now ?? 0)
      hiddenColors[shape.id] = nil
    } else {
      leave(shape.id)
      hiddenColors[shape.id] = shape.properties.color
    }
    strokeWidthMax = max(strokeWidthMax, shape.properties.strokeWidth)
  }

  private mutating func leave(_ shape: Identifier) {
    items[shape] = nil
    glides.forget(shape)
  }

  /// Updates the drawing for a change that `canvas` has already. Returns the pairs of shapes that began or ceased to
  /// overlap.
  ///
  /// - Parameter now: is given for a change by others, who may be dragging the shape. Then the shape glides from where
  ///   it is drawn.
  mutating func follow(_ change: Change, in canvas: Canvas, glidingAt now: UInt64? = nil) -> OverlapChanges {
    if let shape = canvas[change.shape] {
      note(canvas.drawn(shape), glidingAt: now)
    } else {
      leave(change.shape)
      hiddenColors[change.shape] = nil
    }
    let changes = picture.follow(change, in: canvas)
    linesGlideFrom = now
    if !changes.isEmpty { pairs = nil }
    for pair in changes.ended { regions[pair] = nil }
    return changes
  }

  /// Moves the lines that are tied to moved shapes. Returns whether there are any such lines.
  mutating func moveTiedLines(in canvas: Canvas) -> Bool {
    let lines = picture.moveTiedLines(in: canvas)
    for line in lines { note(line, glidingAt: linesGlideFrom) }
    return !lines.isEmpty
  }

  // MARK: - Gliding

  /// Whether any shape is gliding.
  var moves: Bool { !glides.isEmpty }

  /// Moves the gliding shapes to where they are drawn at that time.
  mutating func advance(to now: UInt64) {
    for (shape, item) in glides.advance(to: now) { items[shape] = item }
  }

  // MARK: - Reading

  var order: DrawingOrder { picture.order }
  var count: Int { picture.order.count }
  var overlapCount: Int { picture.overlaps.pairCount }

  func name(of shape: Identifier) -> String {
    (picture.names.name(of: shape)?.string ?? shape.text).printable
  }

  /// The colour by which people recognise the shape.
  func color(of shape: Identifier) -> Color {
    items[shape].map { $0.line == nil ? $0.fill : $0.stroke } ?? hiddenColors[shape] ?? Properties().fill
  }

  mutating func overlappingPairs() -> [ShapePair] {
    if let pairs { return pairs }
    let made = picture.overlaps.pairs
    pairs = made
    return made
  }

  /// The topmost shape at a place. A shape without a fill counts only if no other shape is under it there. A line or
  /// ink counts only within `reach` of where it is drawn.
  func shape(
    at point: Point,
    reach: Double = 0,
    where isMeant: (Identifier) -> Bool = { _ in true }
  ) -> Identifier? {
    var lookedAt = 0
    return shape(at: point, reach: reach, lookedAt: &lookedAt, where: isMeant)
  }

  /// - Parameter lookedAt: grows by the number of shapes that were checked.
  func shape(
    at point: Point,
    reach: Double = 0,
    lookedAt: inout Int,
    where isMeant: (Identifier) -> Bool = { _ in true }
  ) -> Identifier? {
    let found = picture.overlaps.shapes(at: point)
    lookedAt += found.count + 1
    let areas = found.filter { items[$0]?.line == nil && isMeant($0) }
    let strokes = strokes(near: point, reach).filter(isMeant)
    let taken = areas.filter { items[$0]?.isFilled == true } + strokes
    return (taken.isEmpty ? areas : taken).max {
      (picture.order.index(of: $0) ?? -1) < (picture.order.index(of: $1) ?? -1)
    }
  }

  /// If this many shapes lie over a text, nobody expects to read it.
  private static let coversMax = 32

  /// The shapes in front of a shape that hide what is under them, where they meet the shape's box. Nil if more than
  /// `coversMax` lie over it.
  /// - Parameter lookedAt: grows by the number of shapes that were checked.
  func covers(of shape: Identifier, lookedAt: inout Int) -> [Outline]? {
    guard let outline = items[shape]?.outline, let place = picture.order.index(of: shape) else { return nil }
    var covers: [Outline] = []
    let found = picture.overlaps.shapes(in: Rect(origin: outline.position, size: outline.size))
    lookedAt += found.count + 1
    for other in found {
      guard let item = items[other], item.isFilled, item.opacity == 1, item.outline.kind.hasArea,
        let above = picture.order.index(of: other), above > place
      else { continue }
      guard covers.count < LiveDrawing.coversMax else { return nil }
      covers.append(item.outline)
    }
    return covers
  }

  private func strokes(near point: Point, _ reach: Double) -> [Identifier] {
    let far = reach + DrawnLine.reach(strokeWidthMax)
    let around = Rect(
      origin: Point(x: point.x - far, y: point.y - far),
      size: Size(width: 2 * far, height: 2 * far)
    )
    return picture.overlaps.shapes(in: around).filter { shape in
      items[shape]?.line.map { $0.distance(to: point) <= reach } ?? false
    }
  }

  func shapes(touching box: Rect) -> [Identifier] { picture.overlaps.meeting(box) }

  /// The shapes that may be visible in a box, from back to front.
  func visible(in box: Rect) -> [Identifier] {
    let reach = DrawnLine.reach(strokeWidthMax)
    let wider = Rect(
      origin: Point(x: box.minX - reach, y: box.minY - reach),
      size: Size(width: box.size.width + 2 * reach, height: box.size.height + 2 * reach)
    )
    let found = picture.overlaps.shapes(in: wider)
    if found.count * 8 < count {
      return found.sorted { (picture.order.index(of: $0) ?? 0) < (picture.order.index(of: $1) ?? 0) }
    }
    // With this many shapes found, going through all shapes in order is cheaper than sorting the found ones.
    if found.count == items.count { return picture.order.places.compactMap { items[$0.shape] == nil ? nil : $0.shape } }
    let wanted = Set(found)
    return picture.order.places.compactMap { wanted.contains($0.shape) ? $0.shape : nil }
  }

  /// The box around all visible shapes; nil if there are none.
  var bounds: Rect? {
    var bounds: Rect?
    for item in items.values { bounds = bounds?.union(item.outline.bounds) ?? item.outline.bounds }
    return bounds
  }

  // MARK: - Common areas

  /// The common area of two shapes, and the outlines from which it was computed.
  struct CommonArea {
    let first: Outline
    let second: Outline
    let loops: [[Point]]
    let share: Double
  }

  /// The upper bound on common areas that are computed for one frame. The remaining ones follow in the next frames.
  private static let findingsMax = 400

  /// The common areas of the pairs in view.
  /// - Returns: also whether all of these areas are up to date.
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
        // An outdated area is drawn until the new one is computed, because no area would look worse.
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
          // Counts each pair once: at the shape with the smaller identifier, or at the shape in view if only one is.
          if shape < neighbour || !(items[neighbour]?.outline.bounds.intersects(box) ?? false) {
            add(ShapePair(shape, neighbour), &self)
          }
        }
      }
    }
    if regions.count > 2 * overlapCount + 1_000 { regions = [:] }
    return findings <= LiveDrawing.findingsMax
  }

  /// Computes more of the missing common areas. Returns whether all of them are up to date.
  mutating func findCommonRegions(in box: Rect) -> Bool {
    var loops: [[Point]] = []
    return commonRegions(of: visible(in: box), in: box, into: &loops)
  }

  /// The common area as a fraction of the smaller shape's area.
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
