import CanvasCRDT

/// How a box has moved, grown and rotated. Points in the box are moved in the same way.
struct BoxWay {
  private let before: Sides
  private let after: Sides

  init?(from before: Outline, to after: Outline) {
    guard let before = Sides(before), let after = Sides(after) else { return nil }
    self.before = before
    self.after = after
  }

  func end(of point: Point) -> Point {
    let off = Point(x: point.x - before.corner.x, y: point.y - before.corner.y)
    let across = Sides.share(of: off, along: before.across)
    let down = Sides.share(of: off, along: before.down)
    return Point(
      x: after.corner.x + across * after.across.x + down * after.down.x,
      y: after.corner.y + across * after.across.y + down * after.down.y
    )
  }

  /// A box's top left corner, and the vectors from there along its top side and its left side.
  private struct Sides {
    let corner: Point
    let across: Point
    let down: Point

    init?(_ outline: Outline) {
      let box = Outline(kind: .rectangle, position: outline.position, size: outline.size, rotation: outline.rotation)
      let corners = box.polygon(flatness: 1)
      guard corners.count == 4 else { return nil }
      corner = corners[0]
      across = Point(x: corners[1].x - corner.x, y: corners[1].y - corner.y)
      down = Point(x: corners[3].x - corner.x, y: corners[3].y - corner.y)
    }

    static func share(of off: Point, along side: Point) -> Double {
      (off.x * side.x + off.y * side.y) / (side.x * side.x + side.y * side.y)
    }
  }
}
