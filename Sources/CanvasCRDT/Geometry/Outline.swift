/// The exact closed curve of a shape: a rotated box, ellipse, polygon or star.
///
/// A polygon or star is inscribed in the ellipse of its box, with the first corner at the top. So it doesn't always
/// touch all sides of the box. A star has `points` tips on this ellipse. Halfway between two tips it has an inner
/// corner, whose distance from the centre is `innerRatio` times that of a tip.
public struct Outline: Hashable, Sendable {
  public var kind: ShapeKind
  /// The top left corner of the box before rotation.
  public var position: Point
  public var size: Size
  /// The angle in degrees, clockwise around the centre of the box.
  public var rotation: Double
  /// The radius of a rounded rectangle's corners. When drawn, it is at most half the smaller side.
  public var cornerRadius: Double
  /// The number of a polygon's corners or a star's tips. When drawn, it is at least 3 and at most 64.
  public var points: Int
  /// A star's inner radius divided by its outer radius. When drawn, it is at least 0.05 and at most 1.
  public var innerRatio: Double

  public init(
    kind: ShapeKind,
    position: Point,
    size: Size,
    rotation: Double = 0,
    cornerRadius: Double = Properties().cornerRadius,
    points: Int = Int(Properties().points),
    innerRatio: Double = Properties().innerRatio
  ) {
    self.kind = kind
    self.position = position
    self.size = size
    self.rotation = rotation
    self.cornerRadius = cornerRadius
    self.points = points
    self.innerRatio = innerRatio
  }

  public init(_ rect: Rect) {
    self.init(kind: .rectangle, position: rect.origin, size: rect.size)
  }
}

// MARK: - Measures

extension Outline {
  /// The smallest upright rectangle that contains the rotated outline.
  public var bounds: Rect {
    let placed = PlacedOutline(self)
    // Without rotation, the result is exactly the box. But a polygon or a star can be smaller than its box, and then
    // doesn't touch all sides of it.
    if kind != .polygon, kind != .star, placed.direction.sine == 0 { return Rect(origin: position, size: size) }
    return placed.box.rect
  }

  /// Whether the point is inside the curve or on it.
  public func contains(_ point: Point) -> Bool {
    PlacedOutline(self).contains(point)
  }

  /// Whether two outlines share area. Outlines that only touch don't overlap. An outline inside another overlaps it. A
  /// shape without an area overlaps nothing.
  ///
  /// The curves themselves are compared, not polygons that approximate them. `a.overlaps(b)` always equals
  /// `b.overlaps(a)`. Two upright rectangles are compared by their coordinates. In all other cases, the common part
  /// must be thicker than `Outline.overlapDepthMin`.
  public func overlaps(_ other: Outline) -> Bool {
    PlacedOutline(self).overlaps(PlacedOutline(other))
  }

  /// Whether the outline is the shape's box itself. Shapes without an area count as boxes too.
  var isBox: Bool { kind == .rectangle || !kind.hasArea }

  public var area: Double {
    let halfWidth = size.width / 2
    let halfHeight = size.height / 2
    switch kind {
    case .rectangle, .text, .line, .ink:
      return size.width * size.height
    case .roundedRectangle:
      let radius = drawnCornerRadius
      return size.width * size.height - (4 - Double.pi) * radius * radius
    case .ellipse:
      return Double.pi * halfWidth * halfHeight
    case .polygon:
      let count = Double(drawnPoints)
      return count / 2 * Direction(degrees: 360 / count).sine * halfWidth * halfHeight
    case .star:
      let count = Double(drawnPoints)
      return count * drawnInnerRatio * Direction(degrees: 180 / count).sine * halfWidth * halfHeight
    }
  }
}

// MARK: - Values when drawn

extension Outline {
  public static let pointsRange = Int(PropertyRules.points.lowerBound)...Int(PropertyRules.points.upperBound)
  public static let innerRatioRange = PropertyRules.innerRatios

  var drawnPoints: Int { Swift.min(Swift.max(points, Outline.pointsRange.lowerBound), Outline.pointsRange.upperBound) }

  var drawnInnerRatio: Double {
    // With the arguments in this order, NaN becomes the lower bound.
    Swift.max(Outline.innerRatioRange.lowerBound, Swift.min(innerRatio, Outline.innerRatioRange.upperBound))
  }

  /// A corner with a smaller radius counts as square. The difference is invisible, and the square of such a small
  /// number could round to 0.
  static let cornerRadiusMin = 1e-6

  var drawnCornerRadius: Double {
    let radius = Swift.min(cornerRadius, Swift.min(size.width, size.height) / 2)
    return radius >= Outline.cornerRadiusMin ? radius : 0
  }
}
