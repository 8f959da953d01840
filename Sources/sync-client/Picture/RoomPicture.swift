import CanvasCRDT

/// What one asks of a room again and again — the drawing order, the names shown, who overlaps whom — kept up change by
/// change, so that asking costs what is answered and no more.
struct RoomPicture: Sendable {
  private(set) var order = DrawingOrder()
  private(set) var names = ShownNames()
  private(set) var overlaps = OverlapIndex(pairsMax: RoomPicture.pairsMax)

  /// As many as a server tells by default: a few thousand shapes on one spot would be millions, and take gigabytes.
  static let pairsMax = 500_000

  init() {}

  init(_ canvas: Canvas) {
    order = DrawingOrder(canvas)
    names = ShownNames(canvas)
    var outlines: [(identifier: Identifier, outline: Outline)] = []
    outlines.reserveCapacity(order.count)
    for shape in canvas.shapes {
      if let outline = shape.visibleOutline { outlines.append((shape.id, outline)) }
    }
    overlaps = OverlapIndex(outlines, pairsMax: RoomPicture.pairsMax)
  }

  /// Takes in a change that `canvas` holds by now; tells which pairs came to overlap or ceased to.
  mutating func follow(_ change: Change, in canvas: borrowing Canvas) -> OverlapChanges {
    order.update(change, in: canvas)
    names.update(change, in: canvas)
    let touched = change.changed.union(change.erased)
    guard change.lifecycle != .present || !touched.intersection(.outline).isEmpty else { return OverlapChanges() }
    return overlaps.update(change.shape, to: canvas[change.shape]?.visibleOutline)
  }
}

extension Shape {
  /// What is hidden is in nobody's way.
  var visibleOutline: Outline? { properties.visible ? outline : nil }
}
