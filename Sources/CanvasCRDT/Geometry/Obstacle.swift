/// A side of an obstacle: an infinite line with an inner and an outer side.
struct ObstacleSide {
  /// The unit normal of the side, which points outwards.
  let outward: Point
  /// The distance from the start of the search to the line, in the direction of `outward`. Negative if the start is
  /// outside.
  let reach: Double
  /// The exact x of a vertical side. An x computed from rounded differences could be slightly off, and places where a
  /// box fits exactly would be missed.
  var exactX: Double?
  var exactY: Double?

  func depth(of point: Point) -> Double { reach - outward.x * point.x - outward.y * point.y }
}

/// The places where a box's top left corner can't be, because the box would overlap one convex piece of a shape. These
/// places are the piece, extended to the left and upwards by the size of the box.
///
/// An obstacle is stored as its sides. It contains the places that are on the inner side of every side.
struct Obstacle {
  let sides: Range<Int>
  /// The obstacle's bounding box, relative to the start of the search.
  let box: Box
}

/// All obstacles for a box of size `size` near the point `near`. Coordinates are relative to `near`.
struct Obstacles {
  /// How many tangents replace a curve. Neighbouring tangents meet outside the curve, at 1/cos(π/96) times the radius
  /// from the centre. So the corner where they meet is 1/1,866 of the radius outside the curve.
  private static let tangents = 96

  private(set) var sides: [ObstacleSide] = []
  private(set) var all: [Obstacle] = []
  let size: Size
  let near: Point

  init(size: Size, near: Point) {
    self.size = size
    self.near = near
  }

  /// Adds four obstacles that cover everything outside the allowed positions.
  mutating func appendWalls(at positionMax: Double) {
    // The four obstacles extend this far outwards, which is more than any distance in use.
    let far = 8 * positionMax
    let left = -positionMax - near.x
    let top = -positionMax - near.y
    let right = positionMax - near.x
    let bottom = positionMax - near.y
    appendWall(
      ObstacleSide(outward: Point(x: 1, y: 0), reach: left, exactX: -positionMax),
      Box(minX: -far, minY: -far, maxX: left, maxY: far)
    )
    appendWall(
      ObstacleSide(outward: Point(x: -1, y: 0), reach: -right, exactX: positionMax),
      Box(minX: right, minY: -far, maxX: far, maxY: far)
    )
    appendWall(
      ObstacleSide(outward: Point(x: 0, y: 1), reach: top, exactY: -positionMax),
      Box(minX: -far, minY: -far, maxX: far, maxY: top)
    )
    appendWall(
      ObstacleSide(outward: Point(x: 0, y: -1), reach: -bottom, exactY: positionMax),
      Box(minX: -far, minY: bottom, maxX: far, maxY: far)
    )
  }

  private mutating func appendWall(_ side: ObstacleSide, _ box: Box) {
    sides.append(side)
    all.append(Obstacle(sides: (sides.count - 1)..<sides.count, box: box))
  }

  mutating func append(_ placed: PlacedOutline) {
    let outline = placed.outline
    if placed.isUprightRectangle {
      close(from: sides.count, around: placed.box, isExact: true)
      return
    }
    let center = Point(
      x: (outline.position.x - near.x) + outline.size.width / 2,
      y: (outline.position.y - near.y) + outline.size.height / 2
    )
    switch outline.kind {
    case .ellipse, .roundedRectangle:
      appendCurve(outline, center, placed)
    case .rectangle, .text, .line, .ink, .polygon, .star:
      withUnsafeTemporaryAllocation(of: Point.self, capacity: ConvexPieces.capacity(for: outline)) { storage in
        let pieces = ConvexPieces(of: outline, center: center, direction: placed.direction, in: storage)
        for piece in 0..<pieces.count { append(pieces.polygon(piece)) }
      }
    }
  }

  private mutating func append(_ polygon: ConvexPolygon) {
    let start = sides.count
    var from = polygon.corners[polygon.corners.count - 1]
    for to in polygon.corners {
      let x = to.y - from.y
      let y = from.x - to.x
      let length = (x * x + y * y).squareRoot()
      if length > 0 {
        let outward = Point(x: x / length, y: y / length)
        appendSide(outward, reach: outward.x * from.x + outward.y * from.y)
      }
      from = to
    }
    var box = polygon.box
    box.move(by: near)
    close(from: start, around: box, isExact: false)
  }

  private mutating func appendCurve(_ outline: Outline, _ center: Point, _ placed: PlacedOutline) {
    let start = sides.count
    let halfWidth = outline.size.width / 2
    let halfHeight = outline.size.height / 2
    let radius = outline.drawnCornerRadius
    for step in 0..<Obstacles.tangents {
      let towards = Direction(degrees: 360 * Double(step) / Double(Obstacles.tangents))
      var normal = Point(x: towards.cosine, y: towards.sine)
      var reach = (halfWidth - radius) * normal.x.magnitude + (halfHeight - radius) * normal.y.magnitude + radius
      if outline.kind == .ellipse {
        // The tangent points are spread evenly around a circle, which is then scaled to the ellipse. Scaling changes
        // the direction of each normal, so the normal is computed anew.
        normal = Point(x: normal.x / halfWidth, y: normal.y / halfHeight)
        let length = (normal.x * normal.x + normal.y * normal.y).squareRoot()
        normal = Point(x: normal.x / length, y: normal.y / length)
        reach = 1 / length
      }
      let outward = placed.direction.turning(normal.x, normal.y)
      appendSide(outward, reach: reach + outward.x * center.x + outward.y * center.y)
    }
    close(from: start, around: placed.box, isExact: false)
  }

  /// Adds a side of a piece. A side that faces left or up is moved outwards, by the extent of the free box in that
  /// direction.
  private mutating func appendSide(_ outward: Point, reach: Double) {
    let back = Swift.max(0, 0 - outward.x) * size.width + Swift.max(0, 0 - outward.y) * size.height
    sides.append(ObstacleSide(outward: outward, reach: reach + back))
  }

  /// Completes an obstacle by adding the four sides of the piece's bounding box, extended by the size of the free box.
  /// `box` is in the canvas's coordinates.
  private mutating func close(from start: Int, around box: Box, isExact: Bool) {
    let left = box.minX - size.width
    let top = box.minY - size.height
    let seen = Box(minX: left - near.x, minY: top - near.y, maxX: box.maxX - near.x, maxY: box.maxY - near.y)
    sides.append(ObstacleSide(outward: Point(x: 1, y: 0), reach: seen.maxX, exactX: isExact ? box.maxX : nil))
    sides.append(ObstacleSide(outward: Point(x: -1, y: 0), reach: -seen.minX, exactX: isExact ? left : nil))
    sides.append(ObstacleSide(outward: Point(x: 0, y: 1), reach: seen.maxY, exactY: isExact ? box.maxY : nil))
    sides.append(ObstacleSide(outward: Point(x: 0, y: -1), reach: -seen.minY, exactY: isExact ? top : nil))
    all.append(Obstacle(sides: start..<sides.count, box: seen))
  }
}

extension Box {
  fileprivate mutating func move(by offset: Point) {
    minX += offset.x
    maxX += offset.x
    minY += offset.y
    maxY += offset.y
  }
}
