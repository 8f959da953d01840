import CanvasCRDT

/// Facts about a room that commands need again and again: the drawing order, the shown names, the overlaps. It is
/// updated change by change, so a question costs no more than its answer.
struct RoomPicture: Sendable {
  private(set) var order = DrawingOrder()
  private(set) var names = ShownNames()
  private var ties = TiedLines()
  private(set) var overlaps = OverlapIndex.shown([])
  /// Lines that are tied to shapes that have moved. In `overlaps` they are still at their old places.
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

  /// Takes in a change, which is already in `canvas`. Returns the pairs that began or ceased to overlap.
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

  /// Moves lines that are tied to moved shapes. Thousands of lines may be tied to a shape that moves many times in a
  /// frame, so this is done only when somebody looks. Lines overlap nothing. Returns the lines as they are drawn now.
  mutating func moveTiedLines(in canvas: Canvas) -> [Shape] {
    let lines = strayLines.members.compactMap { canvas.drawn($0) }
    strayLines.removeAll()
    for line in lines { _ = overlaps.update(line.id, to: line.visibleOutline) }
    return lines
  }
}

extension Properties {
  /// The colour by which a shape is recognised: its fill, or its stroke if it is only a line.
  var color: Color { kind.isStroke ? stroke : fill }
}

extension Shape {
  /// A hidden shape overlaps nothing.
  var visibleOutline: Outline? { properties.visible ? outline : nil }
}
