/// An outline with its direction and bounding box, which every geometric test needs.
struct PlacedOutline: Hashable, Sendable {
  let outline: Outline
  let direction: Direction
  /// The smallest upright box around the rotated outline.
  let box: Box

  init(_ outline: Outline) {
    self.outline = outline
    direction = Direction(degrees: outline.rotation)
    box = PlacedOutline.box(around: outline, direction)
  }

  var center: Point {
    Point(x: outline.position.x + outline.size.width / 2, y: outline.position.y + outline.size.height / 2)
  }

  /// Whether a shape of this kind can overlap other shapes (a text, a line or ink can't).
  var overlaps: Bool { outline.kind.overlaps }

  /// Whether the outline has an area. The result is false if a size is NaN.
  var hasArea: Bool { outline.size.width > 0 && outline.size.height > 0 }

  /// Whether the outline is an upright rectangle, and therefore equal to its box.
  var isUprightRectangle: Bool {
    outline.isBox && direction.isQuarterTurn
  }

  private static func box(around outline: Outline, _ direction: Direction) -> Box {
    let halfWidth = outline.size.width / 2
    let halfHeight = outline.size.height / 2
    let cosine = direction.cosine.magnitude
    let sine = direction.sine.magnitude
    let center = Point(x: outline.position.x + halfWidth, y: outline.position.y + halfHeight)
    switch outline.kind {
    case .rectangle, .text, .line, .ink, .roundedRectangle, .ellipse:
      if sine == 0 { return Box(Rect(origin: outline.position, size: outline.size)) }
      if outline.kind == .ellipse {
        let across = Point(x: halfWidth * cosine, y: halfHeight * sine)
        let down = Point(x: halfWidth * sine, y: halfHeight * cosine)
        return Box(
          center: center,
          reach: Size(
            width: (across.x * across.x + across.y * across.y).squareRoot(),
            height: (down.x * down.x + down.y * down.y).squareRoot()
          )
        )
      }
      let radius = outline.kind == .roundedRectangle ? outline.drawnCornerRadius : 0
      return Box(
        center: center,
        reach: Size(
          width: (halfWidth - radius) * cosine + (halfHeight - radius) * sine + radius,
          height: (halfWidth - radius) * sine + (halfHeight - radius) * cosine + radius
        )
      )
    case .polygon, .star:
      let points = outline.drawnPoints
      let isStar = outline.kind == .star
      var around = Box.empty
      for step in stride(from: 0, to: 2 * points, by: isStar ? 1 : 2) {
        let corner = UnitCorners.corner(step, points: points)
        let ratio = step & 1 == 0 ? 1 : outline.drawnInnerRatio
        around.extend(to: direction.turning(corner.x * halfWidth * ratio, corner.y * halfHeight * ratio))
      }
      return Box(
        minX: center.x + around.minX,
        minY: center.y + around.minY,
        maxX: center.x + around.maxX,
        maxY: center.y + around.maxY
      )
    }
  }
}

// MARK: - Hit test

extension PlacedOutline {
  func contains(_ point: Point) -> Bool {
    guard box.contains(point) else { return false }
    if isUprightRectangle { return true }
    let halfWidth = outline.size.width / 2
    let halfHeight = outline.size.height / 2
    let center = center
    let seen = direction.turningBack(point.x - center.x, point.y - center.y)
    switch outline.kind {
    case .rectangle, .text, .line, .ink:
      return seen.x.magnitude <= halfWidth && seen.y.magnitude <= halfHeight
    case .roundedRectangle:
      guard seen.x.magnitude <= halfWidth, seen.y.magnitude <= halfHeight else { return false }
      let radius = outline.drawnCornerRadius
      let beyondX = seen.x.magnitude - (halfWidth - radius)
      let beyondY = seen.y.magnitude - (halfHeight - radius)
      return beyondX <= 0 || beyondY <= 0 || beyondX * beyondX + beyondY * beyondY <= radius * radius
    case .ellipse:
      let x = seen.x / halfWidth
      let y = seen.y / halfHeight
      return x * x + y * y <= 1
    case .polygon:
      return polygonContains(Point(x: seen.x / halfWidth, y: seen.y / halfHeight))
    case .star:
      return starContains(Point(x: seen.x / halfWidth, y: seen.y / halfHeight))
    }
  }

  /// Works in coordinates in which the polygon's ellipse is the unit circle. A point is inside if it is on the inner
  /// side of every edge.
  private func polygonContains(_ point: Point) -> Bool {
    let points = outline.drawnPoints
    var from = UnitCorners.corner(2 * points - 2, points: points)
    for index in 0..<points {
      let to = UnitCorners.corner(2 * index, points: points)
      if (to.x - from.x) * (point.y - from.y) - (to.y - from.y) * (point.x - from.x) < 0 { return false }
      from = to
    }
    return true
  }

  /// Works in coordinates in which the star's ellipse is the unit circle. A point is inside if it lies in a triangle of
  /// the centre and an edge.
  private func starContains(_ point: Point) -> Bool {
    let points = outline.drawnPoints
    let ratio = outline.drawnInnerRatio
    let last = UnitCorners.corner(2 * points - 1, points: points)
    var from = Point(x: last.x * ratio, y: last.y * ratio)
    for step in 0..<(2 * points) {
      var to = UnitCorners.corner(step, points: points)
      if step & 1 == 1 { to = Point(x: to.x * ratio, y: to.y * ratio) }
      if from.x * point.y - from.y * point.x >= 0, to.x * point.y - to.y * point.x <= 0,
        (to.x - from.x) * (point.y - from.y) - (to.y - from.y) * (point.x - from.x) >= 0
      {
        return true
      }
      from = to
    }
    return false
  }
}
