import CanvasCRDT

/// The white circle at the bottom left of the view. Shapes that are dropped on it are deleted. It doesn't move when the
/// view scrolls or zooms.
public struct BlackHole: Sendable {
  public let center: Point
  public let radius: Double

  public init(view: CanvasView) {
    // The circle is four rows high, or less in a view with few rows.
    let rows = min(4, Double(view.rows) / 4)
    radius = rows / 2 / view.rowScale
    center = view.point(atColumn: 2 + rows / 2 * view.aspect, row: Double(view.rows) - 1 - rows / 2)
  }

  public func circle(grownBy factor: Double = 1) -> Outline {
    let reach = radius * factor
    return Outline(
      kind: .ellipse,
      position: Point(x: center.x - reach, y: center.y - reach),
      size: Size(width: 2 * reach, height: 2 * reach)
    )
  }

  public func contains(_ point: Point) -> Bool { distance(point) <= radius * 1.2 }

  /// How much the circle grows while the user holds a shape at `point`: by at most half.
  public func swelling(for point: Point) -> Double {
    1 + 0.5 * max(0, min(1, (4 * radius - distance(point)) / (3 * radius)))
  }

  private func distance(_ point: Point) -> Double {
    let x = point.x - center.x
    let y = point.y - center.y
    return (x * x + y * y).squareRoot()
  }
}
