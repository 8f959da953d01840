import CanvasCRDT

/// The facts about a room that commands need again and again: the drawing order, the shown names, the overlaps. It
/// follows the room change by change, so a question costs no more than its answer.
struct RoomPicture: Sendable {
  private(set) var order = DrawingOrder()
  private(set) var names = ShownNames()
  private(set) var overlaps = OverlapIndex(pairsMax: RoomPicture.pairsMax)

  /// The number that a server counts by default. A few thousand shapes on one spot have millions of pairs, which would
  /// take gigabytes.
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

  /// Takes in a change that `canvas` already holds. Returns the pairs that began or ceased to overlap.
  mutating func follow(_ change: Change, in canvas: borrowing Canvas) -> OverlapChanges {
    order.update(change, in: canvas)
    names.update(change, in: canvas)
    let touched = change.changed.union(change.erased)
    guard change.lifecycle != .present || !touched.intersection(.outline).isEmpty else { return OverlapChanges() }
    return overlaps.update(change.shape, to: canvas[change.shape]?.visibleOutline)
  }
}

extension Shape {
  /// A hidden shape overlaps nothing.
  var visibleOutline: Outline? { properties.visible ? outline : nil }
}
