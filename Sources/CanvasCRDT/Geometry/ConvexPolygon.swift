/// The corners of a convex polygon, clockwise as seen on a canvas whose y grows downwards.
struct ConvexPolygon {
  let corners: UnsafeBufferPointer<Point>

  var box: Box {
    var box = Box.empty
    for corner in corners { box.extend(to: corner) }
    return box
  }

  /// Whether the other polygon lies entirely outside one of this polygon's edges, allowing for `tolerance`.
  ///
  /// Each search for the other polygon's nearest corner starts at the nearest corner of the edge before. So the cost is
  /// the sum of the two numbers of corners rather than their product.
  func hasEdge(beyondWhich other: ConvexPolygon, tolerance: Double) -> Bool {
    var nearest = -1
    var from = corners[corners.count - 1]
    for to in corners {
      let outwardX = to.y - from.y
      let outwardY = from.x - to.x
      let length = (outwardX * outwardX + outwardY * outwardY).squareRoot()
      defer { from = to }
      guard length > 0 else { continue }
      var reach: Double
      if nearest < 0 {
        nearest = 0
        reach = Double.infinity
        for (index, corner) in other.corners.enumerated() {
          let reached = outwardX * (corner.x - from.x) + outwardY * (corner.y - from.y)
          if reached < reach {
            reach = reached
            nearest = index
          }
        }
      } else {
        let corner = other.corners[nearest]
        reach = outwardX * (corner.x - from.x) + outwardY * (corner.y - from.y)
        for _ in 0..<other.corners.count {
          let next = nearest + 1 == other.corners.count ? 0 : nearest + 1
          let corner = other.corners[next]
          let reached = outwardX * (corner.x - from.x) + outwardY * (corner.y - from.y)
          if reached > reach { break }
          reach = reached
          nearest = next
        }
      }
      if reach >= -tolerance * length { return true }
    }
    return false
  }

  /// Whether two convex polygons share area thicker than `tolerance`.
  ///
  /// They share none if and only if one of them lies entirely outside an edge of the other (separating axis theorem).
  func overlaps(_ other: ConvexPolygon, tolerance: Double) -> Bool {
    !hasEdge(beyondWhich: other, tolerance: tolerance) && !other.hasEdge(beyondWhich: self, tolerance: tolerance)
  }
}
