import CanvasCRDT

/// What commands often need to know about a room: z-order, shown names, overlaps. It is updated by each change, so that
/// reading it doesn't go through all shapes.
struct RoomPicture: Sendable {
  private(set) var order = DrawingOrder()
  private(set) var names = ShownNames()
  private var ties = TiedLines()
  private(set) var overlaps = OverlapIndex.shown([])
  /// Lines attached to shapes that have moved. In `overlaps`, these lines are still at their old places. Deleted lines
  /// are removed, so this set never has more lines than the room.
  private(set) var strayLines = IdentifierSet()

  init() {}

  /// How many pairs of shapes overlap. `nil` if there are too many to list them.
  var overlapCount: Int? { overlaps.isCrowded ? nil : overlaps.pairCount }

  /// The properties that decide where a shape is.
  private static let placing = PropertyMask.outline.union(.leading).inserting(.path)

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

  /// Updates the z-order after changes that `canvas` already has. The rest follows each of them.
  mutating func reorder(after changes: [Change], in canvas: Canvas) { order.update(changes, in: canvas) }

  /// Applies a change that `canvas` already has. Returns the pairs of shapes that began or stopped overlapping.
  mutating func follow(_ change: Change, in canvas: Canvas) -> OverlapChanges {
    if ShownNames.concerns(change) { names.follow(change.shape, in: canvas) }
    let touched = change.changed.union(change.erased)
    guard change.lifecycle != .present || !touched.intersection(RoomPicture.placing).isEmpty else {
      return OverlapChanges()
    }
    if change.lifecycle != .present || !touched.intersection([.kind, .from, .to]).isEmpty {
      ties.update(change.shape, to: canvas[change.shape])
    }
    for line in ties.lines(of: change.shape) { strayLines.insert(line) }
    if change.lifecycle == .vanished { strayLines.remove(change.shape) }
    return overlaps.update(change.shape, to: canvas.drawn(change.shape)?.visibleOutline)
  }

  /// Moves the lines to the shapes to which they are attached, and returns the moved lines. A shape can move many times
  /// in a frame and have thousands of lines, so the lines are moved only before they are shown. `overlaps` is correct
  /// even without that, because a line never counts as overlapping a shape.
  mutating func moveTiedLines(in canvas: Canvas) -> [Shape] {
    let lines = strayLines.members.compactMap { canvas.drawn($0) }
    strayLines.removeAll()
    for line in lines { _ = overlaps.update(line.id, to: line.visibleOutline) }
    return lines
  }
}

extension Properties {
  /// The colour by which users recognise the shape: its fill, or the stroke for lines and ink.
  var color: Color { kind.isStroke ? stroke : fill }
}
