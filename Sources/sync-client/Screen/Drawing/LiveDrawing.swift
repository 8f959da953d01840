import CanvasCRDT
import TerminalCanvas

/// What the screen needs to know of a room's shapes: z-order, names, positions and overlaps. It is updated by each
/// change.
struct LiveDrawing {
  private(set) var picture = RoomPicture()
  /// The visible shapes as they are drawn now. A gliding shape is still on its way.
  private(set) var items: [Identifier: CanvasScene.Item] = [:]
  private var glides = Glides()
  /// The colours of hidden shapes.
  private var hiddenColors: [Identifier: Color] = [:]
  /// All overlapping pairs, sorted. Computed only when needed.
  private var pairs: [ShapePair]?
  private var regions: [ShapePair: CommonArea] = [:]
  private var reaches = Reaches()
  /// When lines began to glide with the shapes to which they are attached.
  private var linesGlideFrom: UInt64?

  init() {}

  init(_ canvas: Canvas) {
    picture = RoomPicture(canvas)
    for shape in canvas.shapes { note(canvas.drawn(shape)) }
  }

  /// - Parameter now: the time from which the shape glides to its new place. If it is `nil`, the shape jumps there.
  private mutating func note(_ shape: Shape, glidingAt now: UInt64? = nil) {
    if shape.properties.visible {
      let item = CanvasScene.Item(shape)
      items[shape.id] = glides.take(item, of: shape.id, from: now == nil ? nil : items[shape.id], at: now ?? 0)
      hiddenColors[shape.id] = nil
      reaches.note(shape.id, shape.reach)
    } else {
      leave(shape.id)
      hiddenColors[shape.id] = shape.properties.color
    }
  }

  private mutating func leave(_ shape: Identifier) {
    items[shape] = nil
    glides.forget(shape)
    reaches.note(shape, nil)
  }

  /// Updates the z-order after changes that `canvas` already has. The rest follows each of them.
  mutating func reorder(after changes: [Change], in canvas: Canvas) { picture.reorder(after: changes, in: canvas) }

  /// Applies a change that `canvas` already has. Returns the pairs of shapes that began or stopped overlapping.
  ///
  /// - Parameter now: the time, if another person made the change. The shape then glides to its new place.
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

  /// Moves the lines that are attached to moved shapes. Returns whether any line has moved.
  mutating func moveTiedLines(in canvas: Canvas) -> Bool {
    let lines = picture.moveTiedLines(in: canvas)
    for line in lines { note(line, glidingAt: linesGlideFrom) }
    return !lines.isEmpty
  }

  // MARK: - Gliding

  /// Whether any shape is gliding.
  var moves: Bool { !glides.isEmpty }

  /// Moves the gliding shapes to where they are at the given time.
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

  /// The colour by which users recognise the shape.
  func color(of shape: Identifier) -> Color {
    items[shape].map { $0.line == nil ? $0.fill : $0.stroke } ?? hiddenColors[shape] ?? Properties().fill
  }

  mutating func overlappingPairs() -> [ShapePair] {
    if let pairs { return pairs }
    let made = picture.overlaps.pairs
    pairs = made
    return made
  }

  /// The frontmost shape at a point. A shape without a fill counts only if nothing else is there. A line or ink counts
  /// within `reach` of its stroke, and on its caption in a view.
  func shape(
    at point: Point,
    reach: Double = 0,
    in view: CanvasView? = nil,
    where isMeant: (Identifier) -> Bool = { _ in true }
  ) -> Identifier? {
    var lookedAt = 0
    return shape(at: point, reach: reach, in: view, lookedAt: &lookedAt, where: isMeant)
  }

  /// - Parameter lookedAt: is increased by the number of checked shapes.
  func shape(
    at point: Point,
    reach: Double = 0,
    in view: CanvasView? = nil,
    lookedAt: inout Int,
    where isMeant: (Identifier) -> Bool = { _ in true }
  ) -> Identifier? {
    let found = picture.overlaps.shapes(at: point)
    lookedAt += found.count + 1
    let areas = found.filter { items[$0]?.line == nil && isMeant($0) }
    let strokes = strokes(near: point, reach, view).filter(isMeant)
    let taken = areas.filter { items[$0]?.isFilled == true } + strokes
    return (taken.isEmpty ? areas : taken).max {
      (picture.order.index(of: $0) ?? -1) < (picture.order.index(of: $1) ?? -1)
    }
  }

  /// A text that is covered by more shapes than this isn't shown, because nobody could read it.
  private static let coversMax = 32

  /// The shapes that hide parts of a shape's text. `nil` if there are more than `coversMax`.
  /// - Parameters:
  ///   - box: where the text is.
  ///   - lookedAt: is increased by the number of checked shapes.
  func covers(of shape: Identifier, in box: Rect, lookedAt: inout Int) -> [Outline]? {
    guard let place = picture.order.index(of: shape) else { return nil }
    var covers: [Outline] = []
    let found = picture.overlaps.shapes(in: box)
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

  private func strokes(near point: Point, _ reach: Double, _ view: CanvasView?) -> [Identifier] {
    let around = Rect(
      origin: Point(x: point.x - reach, y: point.y - reach),
      size: Size(width: 2 * reach, height: 2 * reach)
    )
    var bytes = 0
    return reaches.shapes(in: around, of: picture.overlaps).filter { shape in
      guard let item = items[shape], let line = item.line else { return false }
      return line.distance(to: point) <= reach
        || view.flatMap { CaptionCells(item, in: $0, bytesWrapped: &bytes) }?.box.contains(point) == true
    }
  }

  func shapes(touching box: Rect) -> [Identifier] { picture.overlaps.meeting(box) }

  /// The shapes that might be visible in a box, in z-order from back to front.
  func visible(in box: Rect) -> [Identifier] {
    let found = reaches.shapes(in: box, of: picture.overlaps)
    if found.count * 8 < count {
      return found.sorted { (picture.order.index(of: $0) ?? 0) < (picture.order.index(of: $1) ?? 0) }
    }
    // If all shapes were found, they needn't be sorted: the order of the drawing is used.
    if found.count == items.count { return picture.order.places.compactMap { items[$0.shape] == nil ? nil : $0.shape } }
    let wanted = Set(found)
    return picture.order.places.compactMap { wanted.contains($0.shape) ? $0.shape : nil }
  }

  /// The bounding box of all visible shapes. `nil` if there are none.
  var bounds: Rect? {
    var bounds: Rect?
    for item in items.values { bounds = bounds?.union(item.outline.bounds) ?? item.outline.bounds }
    return bounds
  }

  // MARK: - Common areas

  /// The area that two shapes have in common, with the outlines for which it was computed.
  struct CommonArea {
    let first: Outline
    let second: Outline
    let loops: [[Point]]
    let share: Double?
  }

  /// So much work on common areas takes about ten milliseconds. What is left is computed in the next frames.
  private static let workMaxPerFrame = 50_000

  /// The common areas of visible pairs.
  /// - Returns: whether all of them are up to date.
  mutating func commonRegions(of visible: [Identifier], in box: Rect, into loops: inout [[Point]]) -> Bool {
    var areas = CommonAreas(workMax: LiveDrawing.workMaxPerFrame)
    func add(_ pair: ShapePair, _ drawing: inout LiveDrawing) {
      guard let first = drawing.items[pair.first], let second = drawing.items[pair.second] else { return }
      if let known = drawing.regions[pair], known.first == first.outline, known.second == second.outline {
        loops += known.loops
        return
      }
      guard !areas.isUsedUp else {
        // Until the new area is computed, the outdated one is drawn. Drawing none would flicker.
        loops += drawing.regions[pair]?.loops ?? []
        return
      }
      loops += drawing.area(of: pair, first.outline, second.outline, &areas).loops
    }
    if visible.count * 4 > items.count {
      for pair in overlappingPairs() { add(pair, &self) }
    } else {
      for shape in visible {
        for neighbour in picture.overlaps.neighbours(of: shape) {
          // Each pair is counted once: at the shape with the lower identifier. If that shape is outside the box, the
          // pair is counted at the other shape.
          if shape < neighbour || !(items[neighbour]?.outline.bounds.intersects(box) ?? false) {
            add(ShapePair(shape, neighbour), &self)
          }
        }
      }
    }
    if regions.count > 2 * overlapCount + 1_000 { regions = [:] }
    return !areas.isUsedUp
  }

  /// Computes some of the common areas that are missing. Returns whether all common areas are up to date now.
  mutating func findCommonRegions(in box: Rect) -> Bool {
    var loops: [[Point]] = []
    return commonRegions(of: visible(in: box), in: box, into: &loops)
  }

  /// The common area of a pair, as a fraction of the smaller shape.
  mutating func share(of pair: ShapePair) -> Double? {
    guard let first = items[pair.first]?.outline, let second = items[pair.second]?.outline else { return nil }
    var areas = CommonAreas()
    return area(of: pair, first, second, &areas).share
  }

  private mutating func area(
    of pair: ShapePair,
    _ first: Outline,
    _ second: Outline,
    _ areas: inout CommonAreas
  ) -> CommonArea {
    if let known = regions[pair], known.first == first, known.second == second { return known }
    let loops = areas.loops(first, second)
    let share = loops.map { OverlapShare.of($0, first, second) }
    let area = CommonArea(first: first, second: second, loops: loops ?? [], share: share)
    regions[pair] = area
    return area
  }
}
