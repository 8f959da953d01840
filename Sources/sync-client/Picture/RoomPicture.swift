import CanvasCRDT

/// What commands need to know of a room again and again: the drawing order, the shown names, the overlaps. It is
/// updated change by change, so reading it needs no pass over all shapes.
struct RoomPicture: Sendable {
  private(set) var order = DrawingOrder()
  private(set) var names = ShownNames()
  private var ties = TiedLines()
  private(set) var overlaps = OverlapIndex.shown([])
  /// Lines that are tied to moved shapes and have not been moved with them yet. In `overlaps` they are still at their
  /// old places.
  private var strayLines = IdentifierSet()

  init() {}

  /// The properties that decide a shape's place.
  private static let placing = PropertyMask.outline.union([.path, .from, .to])

  init(_ canvas: Canvas) {
    order = DrawingOrder(canvas)
    names = ShownNames(canvas)
    var outlines: [(identifier: Identifier, outline: Outline)] = []
    outlines.reserveCapacity(order.count)
    for shape in canvas.shapes {
      if let outline = shape.drawn({ canvas[$0] }).visibleOutline { outlines.append((shape.id, outline)) }
      ties.update(shape.id, to: shape)
    }
    overlaps = OverlapIndex.shown(outlines)
  }

  /// Updates everything for a change that `canvas` has already. Returns the pairs of shapes that began or ceased to
  /// overlap.
  mutating func follow(_ change: Change, in canvas: Canvas) -> OverlapChanges {
    order.update(change, in: canvas)
    names.update(change, in: canvas)
    let touched = change.changed.union(change.erased)
    guard change.lifecycle != .present || !touched.intersection(RoomPicture.placing).isEmpty else {
      return OverlapChanges()
    }
    if change.lifecycle != .present || !touched.intersection([.kind, .from, .to]).isEmpty {
      ties.update(change.shape, to: canvas[change.shape])
    }
    for line in ties.lines(of: change.shape) { strayLines.insert(line) }
    return overlaps.update(change.shape, to: canvas.drawn(change.shape)?.visibleOutline)
  }

  /// Moves the lines that are tied to moved shapes, and returns them as they are drawn now. Thousands of lines may be
  /// tied to a shape that moves many times in a frame, so this is done only when the lines are to be shown. Until then
  /// nothing is missing from the overlaps, since lines overlap nothing.
  mutating func moveTiedLines(in canvas: Canvas) -> [Shape] {
    let lines = strayLines.members.compactMap { canvas.drawn($0) }
    strayLines.removeAll()
    for line in lines { _ = overlaps.update(line.id, to: line.visibleOutline) }
    return lines
  }
}

extension Properties {
  /// The colour by which people recognise the shape: its fill, or its stroke if its kind has no area.
  var color: Color { kind.isStroke ? stroke : fill }
}

extension Shape {
  /// The outline; nil for a hidden shape, because a hidden shape overlaps nothing.
  var visibleOutline: Outline? { properties.visible ? outline : nil }
}
