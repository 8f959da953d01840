import CanvasCRDT

/// The facts about a room that commands need again and again: the drawing order, the shown names, the overlaps. It
/// follows the room change by change, so a question costs no more than its answer.
struct RoomPicture: Sendable {
  private(set) var order = DrawingOrder()
  private(set) var names = ShownNames()
  private var ties = TiedLines()
  private(set) var overlaps = OverlapIndex.shown([])
  /// Lines that are tied to shapes that have moved, and lie in `overlaps` where they were.
  private var strayLines = IdentifierSet()

  init() {}

  /// The properties that decide where a shape lies.
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

  /// Takes in a change that `canvas` already holds. Returns the pairs that began or ceased to overlap.
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

  /// Lines that are tied to a shape follow it. Thousands of lines may be tied to one that moves many times in a frame, so
  /// they follow when somebody looks. They overlap nothing. Returns them as they are drawn now.
  mutating func moveTiedLines(in canvas: Canvas) -> [Shape] {
    let lines = strayLines.members.compactMap { canvas.drawn($0) }
    strayLines.removeAll()
    for line in lines { _ = overlaps.update(line.id, to: line.visibleOutline) }
    return lines
  }
}

extension Properties {
  /// The colour that a shape is known by: its line's, where it is nothing else.
  var color: Color { kind.isStroke ? stroke : fill }
}

extension Shape {
  /// A hidden shape overlaps nothing.
  var visibleOutline: Outline? { properties.visible ? outline : nil }
}
