import CanvasCRDT

/// The places where a selected shape can be grabbed: the corners of its box to scale it, and a place above the box to
/// rotate it.
public struct Handles: Sendable {
  /// The corners, clockwise from the box's top left corner. They rotate with the box.
  public let corners: [Screen.Place]
  public let turning: Screen.Place?

  public init(of outline: Outline, in view: CanvasView) {
    let box = Outline(kind: .rectangle, position: outline.position, size: outline.size, rotation: outline.rotation)
    let corners = box.polygon(flatness: 1)
    self.corners = corners.map { Handles.place(view.cell(of: $0)) }
    guard corners.count == 4 else {
      turning = nil
      return
    }
    // The handle for rotating is two rows above the middle of the top side.
    let middle = Point(x: (corners[0].x + corners[1].x) / 2, y: (corners[0].y + corners[1].y) / 2)
    let up = Point(x: corners[0].x - corners[3].x, y: corners[0].y - corners[3].y)
    let length = max((up.x * up.x + up.y * up.y).squareRoot(), 1e-9)
    let reach = 2 / view.rowScale / length
    turning = Handles.place(view.cell(of: Point(x: middle.x + up.x * reach, y: middle.y + up.y * reach)))
  }

  /// The index of the corner at a cell. `nil` if there is none.
  public func corner(at place: Screen.Place) -> Int? { corners.firstIndex(of: place) }

  private static func place(_ cell: Point) -> Screen.Place {
    func whole(_ value: Double) -> Int { Int(min(max(value.rounded(.down), -1e6), 1e6)) }
    return Screen.Place(row: whole(cell.y), column: whole(cell.x))
  }
}
