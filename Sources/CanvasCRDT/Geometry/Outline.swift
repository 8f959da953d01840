/// The closed curve of a shape, exactly and not as bounds: a turned box, ellipse, polygon or star.
///
/// Polygon and star are inscribed in the ellipse of the box, first corner up, so they need not fill the box. A star
/// has `points` tips on that ellipse and as many inner corners at `innerRatio` of the way out, halfway between.
public struct Outline: Hashable, Sendable {
  public var kind: ShapeKind
  /// Top left corner of the box before it is turned.
  public var position: Point
  public var size: Size
  /// Degrees, clockwise around the box's centre.
  public var rotation: Double
  /// The radius of a rounded rectangle's corners. When drawn it is limited to half the smaller side.
  public var cornerRadius: Double
  /// Corners of a polygon or tips of a star, limited to 3…64.
  public var points: Int
  /// A star's inner radius divided by its outer radius, limited to 0.05…1.
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

  /// An upright rectangle.
  public init(_ rect: Rect) {
    self.init(kind: .rectangle, position: rect.origin, size: rect.size)
  }
}

// MARK: - Measures

extension Outline {
  /// The smallest upright rectangle that holds the turned outline.
  public var bounds: Rect {
    let placed = PlacedOutline(self)
    // A box that isn't turned keeps its size to the last bit.
    if kind != .polygon, kind != .star, placed.direction.sine == 0 { return Rect(origin: position, size: size) }
    return placed.box.rect
  }

  /// Whether the point is inside or on the curve.
  public func contains(_ point: Point) -> Bool {
    PlacedOutline(self).contains(point)
  }

  /// Whether the two have area in common. Outlines that only touch don't overlap. If one is inside the other, they do.
  /// A shape without an area overlaps nothing.
  ///
  /// This is computed on the curves themselves, not on polygons near them, and doesn't depend on which of the two is
  /// asked. For upright rectangles coordinates are compared, which is as exact as decimals are. For all others the
  /// common part must be thicker than `Outline.overlapDepthMin`.
  public func overlaps(_ other: Outline) -> Bool {
    PlacedOutline(self).overlaps(PlacedOutline(other))
  }

  /// Whether the outline is the shape's box itself. This includes shapes without an area.
  var isBox: Bool { kind == .rectangle || !kind.hasArea }

  /// The area that the outline encloses.
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

// MARK: - Values as they are drawn

extension Outline {
  public static let pointsRange = Int(PropertyRules.points.lowerBound)...Int(PropertyRules.points.upperBound)
  public static let innerRatioRange = PropertyRules.innerRatios

  var drawnPoints: Int { Swift.min(Swift.max(points, Outline.pointsRange.lowerBound), Outline.pointsRange.upperBound) }

  var drawnInnerRatio: Double {
    // With the arguments in this order, NaN becomes the lower bound.
    Swift.max(Outline.innerRatioRange.lowerBound, Swift.min(innerRatio, Outline.innerRatioRange.upperBound))
  }

  /// A corner that is rounded less than this counts as square: nobody sees the difference, and the square of a number
  /// that small is 0.
  static let cornerRadiusMin = 1e-6

  var drawnCornerRadius: Double {
    let radius = Swift.min(cornerRadius, Swift.min(size.width, size.height) / 2)
    return radius >= Outline.cornerRadiusMin ? radius : 0
  }
}
