// The end of a line that is tied to the middle of a shape (S14). The line points at the middle, but ends where it first
// meets the shape's outline.

extension Shape {
  /// Where the straight line from a point to the middle of the box first meets the outline. `nil` if the line misses
  /// the outline.
  func entry(from start: Point) -> Point? {
    let outline = outline
    let end = point(of: .middle)
    let center = Rect(origin: properties.position, size: properties.size).center
    let direction = Direction(degrees: properties.rotation)
    // In the coordinates of `way`, the box is not rotated and its middle is the origin.
    let way = StraightWay(
      from: direction.turningBack(start.x - center.x, start.y - center.y),
      to: direction.turningBack(end.x - center.x, end.y - center.y)
    )
    guard let part = way.entry(into: outline) else { return nil }
    return Point(x: start.x + (end.x - start.x) * part, y: start.y + (end.y - start.y) * part)
  }
}

/// A straight line from a point to the middle of a shape. In its coordinates the shape is not rotated, and its middle
/// is the origin.
private struct StraightWay {
  let start: Point
  let step: Point

  init(from start: Point, to end: Point) {
    self.start = start
    step = Point(x: end.x - start.x, y: end.y - start.y)
  }

  /// The fraction of the line before it meets the outline. Curves are computed exactly rather than approximated by
  /// chords.
  func entry(into outline: Outline) -> Double? {
    let halfWidth = outline.size.width / 2
    let halfHeight = outline.size.height / 2
    var first: Double?
    func take(_ part: Double?) {
      if let part, (0...1).contains(part), part < first ?? .infinity { first = part }
    }
    switch outline.kind {
    case .ellipse:
      if let parts = parts(throughEllipseAt: Point(x: 0, y: 0), halfWidth, halfHeight) {
        take(parts.first)
        take(parts.second)
      }
    case .roundedRectangle:
      let radius = outline.drawnCornerRadius
      let (innerX, innerY) = (halfWidth - radius, halfHeight - radius)
      for sign in [-1.0, 1] {
        take(part(from: Point(x: -innerX, y: sign * halfHeight), to: Point(x: innerX, y: sign * halfHeight)))
        take(part(from: Point(x: sign * halfWidth, y: -innerY), to: Point(x: sign * halfWidth, y: innerY)))
        guard radius > 0 else { continue }
        for side in [-1.0, 1] {
          guard let parts = parts(throughEllipseAt: Point(x: sign * innerX, y: side * innerY), radius, radius) else {
            continue
          }
          // A rounded corner is only a quarter of the circle, so crossings elsewhere on the circle don't count.
          for part in [parts.first, parts.second] {
            let (x, y) = (start.x + step.x * part, start.y + step.y * part)
            if sign * x >= innerX, side * y >= innerY { take(part) }
          }
        }
      }
    case .polygon, .star:
      // The line ends at the outline's middle, so it crosses the side that faces its start. Because of rounding, it
      // might cross a neighbouring side instead.
      let side = outline.side(towards: start)
      for side in (side - 1)...(side + 1) { take(part(from: outline.corner(side), to: outline.corner(side + 1))) }
    case .rectangle, .text, .line, .ink:
      var outline = outline
      outline.position = Point(x: -halfWidth, y: -halfHeight)
      outline.rotation = 0
      let corners = outline.polygon(flatness: 1)
      for (index, corner) in corners.enumerated() {
        take(part(from: corner, to: corners[index + 1 == corners.count ? 0 : index + 1]))
      }
    }
    return first
  }

  /// The fraction of the line before it crosses the side from `corner` to `next`. `nil` if the two don't cross.
  private func part(from corner: Point, to next: Point) -> Double? {
    let side = Point(x: next.x - corner.x, y: next.y - corner.y)
    let off = Point(x: corner.x - start.x, y: corner.y - start.y)
    let turn = step.x * side.y - step.y * side.x
    guard turn != 0 else { return nil }
    let across = (off.x * step.y - off.y * step.x) / turn
    return (0...1).contains(across) ? (off.x * side.y - off.y * side.x) / turn : nil
  }

  /// The fractions at which the line, extended in both directions, enters and leaves an ellipse. `nil` if it misses the
  /// ellipse.
  private func parts(
    throughEllipseAt center: Point,
    _ halfWidth: Double,
    _ halfHeight: Double
  ) -> (first: Double, second: Double)? {
    // Coordinates in which the ellipse is the unit circle.
    let from = Point(x: (start.x - center.x) / halfWidth, y: (start.y - center.y) / halfHeight)
    let along = Point(x: step.x / halfWidth, y: step.y / halfHeight)
    let square = along.x * along.x + along.y * along.y
    guard square > 0 else { return nil }
    // How far the line passes from the circle's middle. A cross product is used because it loses no digits if the start
    // is far away.
    let off = from.x * along.y - from.y * along.x
    let half = 1 - off * off / square
    guard half >= 0 else { return nil }
    let nearest = -(from.x * along.x + from.y * along.y) / square
    let reach = (half / square).squareRoot()
    return (nearest - reach, nearest + reach)
  }
}

// The corners of a polygon or a star, relative to the middle of the box, as if the box were not rotated.
extension Outline {
  private var cornerCount: Int { kind == .star ? 2 * drawnPoints : drawnPoints }

  /// - Parameter index: any number; it is taken modulo the number of corners.
  fileprivate func corner(_ index: Int) -> Point {
    let index = (index + cornerCount) % cornerCount
    let corner = UnitCorners.corner(kind == .star ? index : 2 * index, points: drawnPoints)
    let ratio = kind == .star && index & 1 == 1 ? drawnInnerRatio : 1
    return Point(x: corner.x * size.width / 2 * ratio, y: corner.y * size.height / 2 * ratio)
  }

  /// The index of the side that a point faces: the side that a straight line from the middle through the point crosses.
  fileprivate func side(towards point: Point) -> Int {
    let (x, y) = (point.x / size.width, point.y / size.height)
    // A binary search among corners that span less than 180 degrees. Within such a span, the sign of a cross product
    // tells which of two directions comes first clockwise.
    var first = x > 0 || x == 0 && y < 0 ? 0 : drawnPoints
    var end = first + drawnPoints
    while end - first > 1 {
      let middle = (first + end) / 2
      let direction = UnitCorners.corner(middle, points: drawnPoints)
      if direction.x * y - direction.y * x >= 0 { first = middle } else { end = middle }
    }
    return kind == .star ? first : first / 2
  }
}
