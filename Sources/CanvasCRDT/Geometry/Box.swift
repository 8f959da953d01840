/// A rectangle that is stored as its four sides, so that comparing two boxes takes no addition.
struct Box: Hashable, Sendable {
  var minX: Double
  var minY: Double
  var maxX: Double
  var maxY: Double

  @inlinable
  init(minX: Double, minY: Double, maxX: Double, maxY: Double) {
    self.minX = minX
    self.minY = minY
    self.maxX = maxX
    self.maxY = maxY
  }

  @inlinable
  init(_ rect: Rect) {
    self.init(minX: rect.minX, minY: rect.minY, maxX: rect.maxX, maxY: rect.maxY)
  }

  /// A box from its centre and half its size.
  @inlinable
  init(center: Point, reach: Size) {
    self.init(
      minX: center.x - reach.width,
      minY: center.y - reach.height,
      maxX: center.x + reach.width,
      maxY: center.y + reach.height
    )
  }

  /// An empty box to start a union with. If it is extended by another box, it becomes that box.
  @inlinable static var empty: Box {
    Box(minX: .infinity, minY: .infinity, maxX: -.infinity, maxY: -.infinity)
  }

  @inlinable var rect: Rect {
    Rect(origin: Point(x: minX, y: minY), size: Size(width: maxX - minX, height: maxY - minY))
  }

  /// Whether two boxes share area. Both must have an area.
  @inlinable
  func overlaps(_ other: Box) -> Bool {
    minX < other.maxX && other.minX < maxX && minY < other.maxY && other.minY < maxY
  }

  /// Whether two boxes share area. If the common area is no thicker than rounding errors, the boxes only touch. The
  /// boxes must be the shapes themselves, because a box around another shape can share area where the shape doesn't.
  @inlinable
  func sharesArea(with other: Box) -> Bool {
    let across = Rect.rounding(minX, maxX, other.minX, other.maxX)
    let down = Rect.rounding(minY, maxY, other.minY, other.maxY)
    return other.maxX - minX > across && maxX - other.minX > across && other.maxY - minY > down
      && maxY - other.minY > down
  }

  @inlinable
  func contains(_ point: Point) -> Bool {
    point.x >= minX && point.x <= maxX && point.y >= minY && point.y <= maxY
  }

  @inlinable
  mutating func extend(to point: Point) {
    minX = Swift.min(minX, point.x)
    minY = Swift.min(minY, point.y)
    maxX = Swift.max(maxX, point.x)
    maxY = Swift.max(maxY, point.y)
  }

  @inlinable var isFinite: Bool {
    minX.isFinite && minY.isFinite && maxX.isFinite && maxY.isFinite
  }
}
