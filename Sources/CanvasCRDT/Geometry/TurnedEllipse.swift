/// An ellipse or a disc, at any place and rotated by any angle.
struct TurnedEllipse {
  let center: Point
  let halfWidth: Double
  let halfHeight: Double
  let direction: Direction

  var box: Box {
    let across = reach(towards: 1, 0)
    let down = reach(towards: 0, 1)
    return Box(center: center, reach: Size(width: across, height: down))
  }

  /// The distance from the centre to the tangent in a direction, multiplied by the length of the given direction
  /// vector.
  func reach(towards x: Double, _ y: Double) -> Double {
    let seen = direction.turningBack(x, y)
    let across = halfWidth * seen.x
    let down = halfHeight * seen.y
    return (across * across + down * down).squareRoot()
  }
}

// MARK: - Overlap with a polygon

extension TurnedEllipse {
  /// Whether the polygon and the ellipse share area thicker than `tolerance`.
  ///
  /// In coordinates in which the ellipse is the unit circle, they share area if the polygon's distance from the origin
  /// is less than one. The thickness of the common area is the distance between two parallel tangents, measured in the
  /// canvas's units.
  func overlaps(_ polygon: ConvexPolygon, tolerance: Double) -> Bool {
    var nearestCorner = Point(x: 0, y: 0)
    var nearestSquare = Double.infinity
    var originInside = true
    var edgeIsNearest = false
    var from = unit(polygon.corners[polygon.corners.count - 1])
    for corner in polygon.corners {
      let to = unit(corner)
      defer { from = to }
      let square = to.x * to.x + to.y * to.y
      if square < nearestSquare {
        nearestSquare = square
        nearestCorner = to
      }
      let edgeX = to.x - from.x
      let edgeY = to.y - from.y
      let length = (edgeX * edgeX + edgeY * edgeY).squareRoot()
      guard length > 0 else { continue }
      // The distance from the origin to the edge's line. It is positive if the origin is on the inner side of the edge.
      let inward = (edgeY * from.x - edgeX * from.y) / length
      guard inward < 0 else { continue }
      originInside = false
      if isTouched(at: -inward, towards: 0 - edgeY / length, edgeX / length, tolerance: tolerance) { return false }
      let before = from.x * edgeX + from.y * edgeY
      let after = to.x * edgeX + to.y * edgeY
      if before <= 0, after >= 0 { edgeIsNearest = true }
    }
    if originInside || edgeIsNearest { return true }
    let distance = nearestSquare.squareRoot()
    guard distance > 0 else { return true }
    return !isTouched(
      at: distance,
      towards: nearestCorner.x / distance,
      nearestCorner.y / distance,
      tolerance: tolerance
    )
  }

  private func unit(_ point: Point) -> Point {
    let seen = direction.turningBack(point.x - center.x, point.y - center.y)
    return Point(x: seen.x / halfWidth, y: seen.y / halfHeight)
  }

  /// Whether the ellipse extends less than `tolerance` beyond a line. `distance` and `x`, `y` are the line's distance
  /// and direction from the centre, in coordinates in which the ellipse is the unit circle.
  private func isTouched(at distance: Double, towards x: Double, _ y: Double, tolerance: Double) -> Bool {
    guard distance < 1 else { return true }
    let slopeX = x / halfWidth
    let slopeY = y / halfHeight
    return 1 - distance <= tolerance * (slopeX * slopeX + slopeY * slopeY).squareRoot()
  }
}

// MARK: - Overlap with an ellipse

extension TurnedEllipse {
  /// An upper bound on the steps of a search for a line that separates two ellipses. If none is found by then, the
  /// ellipses count as overlapping. Each step at least halves an interval of `Double`s, so after this many steps the
  /// interval contains no further number.
  private static let searchStepsMax = 128

  /// Whether the two ellipses share area thicker than `tolerance`.
  ///
  /// An ellipse's reach in a direction is how far it extends from its centre in that direction. The ellipses share no
  /// area if there is a direction in which their centres are at least as far apart as both reaches together. A direction
  /// is described by one number, `turn`. The sum of the reaches minus how far the centres are apart in the direction is
  /// a convex function of `turn`. The search approaches the minimum of its graph with tangents of the graph, from both
  /// sides. It ends when a value of the function, or a lower bound on it, gives the answer.
  func overlaps(_ other: TurnedEllipse, tolerance: Double) -> Bool {
    let apartX = other.center.x - center.x
    let apartY = other.center.y - center.y
    let apart = (apartX * apartX + apartY * apartY).squareRoot()
    let inner = Swift.min(halfWidth, halfHeight) + Swift.min(other.halfWidth, other.halfHeight)
    if apart < inner - tolerance { return true }
    let outer = Swift.max(halfWidth, halfHeight) + Swift.max(other.halfWidth, other.halfHeight)
    if apart >= outer - tolerance { return false }
    let along = Point(x: apartX / apart, y: apartY / apart)
    let first = Reach(of: self, along: along)
    let second = Reach(of: other, along: along)

    var middle = Tangent(first, second, at: 0, apart: apart)
    if middle.isSeparating(tolerance) { return false }
    if middle.slope == 0 { return true }
    // Beyond this `turn`, circles inside the two ellipses already reach further than the distance between the centres.
    // So no greater `turn` can separate the ellipses.
    let limit = apart / inner
    var left = middle
    var right = middle
    if middle.slope < 0 {
      right = Tangent(first, second, at: limit, apart: apart)
    } else {
      left = Tangent(first, second, at: -limit, apart: apart)
    }
    for _ in 0..<TurnedEllipse.searchStepsMax {
      let width = right.turn - left.turn
      let bend = right.slope - left.slope
      guard width > 0, bend > 0 else { return true }
      // A lower bound on the function: its value where the two tangents cross.
      let crossing = left.turn + (right.slope * width - (right.value - left.value)) / bend
      let least = left.value + left.slope * (crossing - left.turn)
      let steepest = Swift.max(left.turn.magnitude, right.turn.magnitude)
      if least > tolerance * (1 + steepest * steepest).squareRoot() { return true }
      let isBetween = crossing > left.turn && crossing < right.turn
      middle = Tangent(first, second, at: isBetween ? crossing : left.turn + width / 2, apart: apart)
      if middle.isSeparating(tolerance) { return false }
      if middle.turn <= left.turn || middle.turn >= right.turn || middle.slope == 0 { return true }
      if middle.slope < 0 { left = middle } else { right = middle }
    }
    return true
  }

  /// How far an ellipse reaches in a direction, which is `along` plus `turn` times the perpendicular vector. The reach
  /// is √(a² + b²), where a and b are linear functions of `turn`.
  private struct Reach {
    let acrossStart: Double
    let acrossStep: Double
    let downStart: Double
    let downStep: Double

    init(of ellipse: TurnedEllipse, along: Point) {
      let start = ellipse.direction.turningBack(along.x, along.y)
      let step = ellipse.direction.turningBack(0 - along.y, along.x)
      acrossStart = ellipse.halfWidth * start.x
      acrossStep = ellipse.halfWidth * step.x
      downStart = ellipse.halfHeight * start.y
      downStep = ellipse.halfHeight * step.y
    }

    func value(at turn: Double) -> (value: Double, slope: Double) {
      let across = acrossStart + turn * acrossStep
      let down = downStart + turn * downStep
      let value = (across * across + down * down).squareRoot()
      return (value, (across * acrossStep + down * downStep) / value)
    }
  }

  /// A tangent to the function whose minimum is searched for: the function's value and slope at one `turn`.
  private struct Tangent {
    let turn: Double
    let value: Double
    let slope: Double

    init(_ first: Reach, _ second: Reach, at turn: Double, apart: Double) {
      let one = first.value(at: turn)
      let two = second.value(at: turn)
      self.turn = turn
      value = one.value + two.value - apart
      slope = one.slope + two.slope
    }

    func isSeparating(_ tolerance: Double) -> Bool { value <= tolerance * (1 + turn * turn).squareRoot() }
  }
}
