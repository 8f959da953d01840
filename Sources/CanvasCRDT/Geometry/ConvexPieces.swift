/// An outline as convex polygons and ellipses that together cover exactly the same area.
///
/// - A rectangle or a polygon is one polygon.
/// - An ellipse is one ellipse.
/// - A star has one kite for each tip: the centre, an inner corner, the tip and the next inner corner. A kite is convex
///   at any ratio of the star's radii.
/// - A rounded rectangle is a cross of two boxes, and a disc at each corner.
///
/// Two shapes share area exactly if a piece of one shares area with a piece of the other.
struct ConvexPieces {
  /// The corners of all polygons, `cornersEach` for each polygon, clockwise as seen. The centres of the ellipses follow
  /// them.
  let corners: UnsafeMutableBufferPointer<Point>
  private(set) var polygons = 0
  private(set) var cornersEach = 0
  private(set) var ellipses = 0
  private(set) var halfWidth = 0.0
  private(set) var halfHeight = 0.0
  let direction: Direction

  /// How many points are needed to store the pieces of an outline.
  static func capacity(for outline: Outline) -> Int {
    switch outline.kind {
    case .rectangle, .text, .line, .ink: 4
    case .roundedRectangle: 12
    case .ellipse: 1
    case .polygon: outline.drawnPoints
    case .star: 4 * outline.drawnPoints
    }
  }

  /// Makes the pieces of an outline. `center` and `direction` are those of the outline's box, in a coordinate system
  /// that the caller chooses. The pieces are in the same system. `storage` must have room for `capacity(for:)` points.
  init(
    of outline: Outline,
    center: Point,
    direction: Direction,
    in storage: UnsafeMutableBufferPointer<Point>
  ) {
    corners = storage
    self.direction = direction
    let halfWidth = outline.size.width / 2
    let halfHeight = outline.size.height / 2
    var count = 0
    func append(_ x: Double, _ y: Double) {
      let turned = direction.turning(x, y)
      storage.initializeElement(at: count, to: Point(x: center.x + turned.x, y: center.y + turned.y))
      count += 1
    }
    func appendBox(_ reachX: Double, _ reachY: Double) {
      append(-reachX, -reachY)
      append(reachX, -reachY)
      append(reachX, reachY)
      append(-reachX, reachY)
    }
    switch outline.kind {
    case .rectangle, .text, .line, .ink:
      appendBox(halfWidth, halfHeight)
      polygons = 1
      cornersEach = 4
    case .roundedRectangle:
      let radius = outline.drawnCornerRadius
      // A rounded rectangle has two crossing boxes. A box without width or height is left out.
      if halfWidth > radius {
        appendBox(halfWidth - radius, halfHeight)
        polygons += 1
      }
      if halfHeight > radius, radius > 0 || polygons == 0 {
        appendBox(halfWidth, halfHeight - radius)
        polygons += 1
      }
      cornersEach = 4
      if radius > 0 {
        appendBox(halfWidth - radius, halfHeight - radius)
        ellipses = 4
        self.halfWidth = radius
        self.halfHeight = radius
      }
    case .ellipse:
      append(0, 0)
      ellipses = 1
      self.halfWidth = halfWidth
      self.halfHeight = halfHeight
    case .polygon:
      let points = outline.drawnPoints
      for index in 0..<points {
        let corner = UnitCorners.corner(2 * index, points: points)
        append(corner.x * halfWidth, corner.y * halfHeight)
      }
      polygons = 1
      cornersEach = points
    case .star:
      let points = outline.drawnPoints
      let ratio = outline.drawnInnerRatio
      func appendInner(_ step: Int) {
        let corner = UnitCorners.corner(step, points: points)
        append(corner.x * halfWidth * ratio, corner.y * halfHeight * ratio)
      }
      for tip in 0..<points {
        let corner = UnitCorners.corner(2 * tip, points: points)
        append(0, 0)
        appendInner(tip == 0 ? 2 * points - 1 : 2 * tip - 1)
        append(corner.x * halfWidth, corner.y * halfHeight)
        appendInner(2 * tip + 1)
      }
      polygons = points
      cornersEach = 4
    }
  }

  var count: Int { polygons + ellipses }

  func isPolygon(_ piece: Int) -> Bool { piece < polygons }

  func polygon(_ piece: Int) -> ConvexPolygon {
    ConvexPolygon(
      corners: UnsafeBufferPointer(rebasing: corners[(piece * cornersEach)..<((piece + 1) * cornersEach)])
    )
  }

  func ellipse(_ piece: Int) -> TurnedEllipse {
    TurnedEllipse(
      center: corners[polygons * cornersEach + piece - polygons],
      halfWidth: halfWidth,
      halfHeight: halfHeight,
      direction: direction
    )
  }

  func box(_ piece: Int) -> Box {
    isPolygon(piece) ? polygon(piece).box : ellipse(piece).box
  }
}
