/// Makes random shapes with random values, rounded to whole numbers.
///
/// The random numbers depend only on the caller's generator. So one seed makes the same shapes in a test, on a server
/// and in a browser. The shapes have no name and no `z`.
public struct ShapeFactory: Sendable {
  /// The area in which shapes lie. Only a shape larger than the area extends beyond it.
  public var area: Rect

  /// The kinds to choose from, each with the same probability. If the list is empty, shapes are rectangles.
  public var kinds: [ShapeKind] = ShapeKind.outlines

  /// The range of widths. `nil` means that every shape is 150 wide.
  public var widths: ClosedRange<Double>?
  /// The range of heights. `nil` means that every shape is 120 high.
  public var heights: ClosedRange<Double>?

  /// The range of angles in degrees. By default shapes are not rotated.
  public var rotations: ClosedRange<Double> = 0...0
  public var alphas: ClosedRange<Int16> = 1...10
  /// The number of a polygon's corners or a star's tips.
  public var points: ClosedRange<Int16> = 3...8
  /// The corner radius of a rounded rectangle.
  public var cornerRadii: ClosedRange<Double> = 8...40

  public init(area: Rect) {
    self.area = area
  }

  /// The side of a square, and the width and height of a circle.
  public static let sideLength = 100.0

  public func make(using generator: inout some RandomNumberGenerator) -> (Identifier, Properties) {
    let id = Identifier.random(using: &generator)
    var shape = Properties()
    if kinds.isEmpty {
      shape.kind = .rectangle
    } else {
      shape.kind = kinds[WholeNumber.index(below: kinds.count, using: &generator)]
    }
    let sides = PropertyRules.sides
    shape.size = Size(
      width: WholeNumber.random(in: widths ?? 150...150, within: sides, using: &generator),
      height: WholeNumber.random(in: heights ?? 120...120, within: sides, using: &generator)
    )
    shape.position = place(for: shape.size, using: &generator)
    shape.fill = Color.bright(using: &generator)
    shape.alpha = WholeNumber.random(in: alphas, within: PropertyRules.alphas, using: &generator)
    if rotations != 0...0 {
      shape.rotation = WholeNumber.random(in: rotations, within: PropertyRules.turns, using: &generator)
    }
    switch shape.kind {
    case .polygon, .star:
      shape.points = WholeNumber.random(in: points, within: PropertyRules.points, using: &generator)
    case .roundedRectangle:
      shape.cornerRadius = WholeNumber.random(in: cornerRadii, within: PropertyRules.cornerRadii, using: &generator)
    case .rectangle, .ellipse, .text, .line, .ink:
      break
    }
    return (id, shape)
  }

  /// A square with a random bright colour at a random place.
  public func square(using generator: inout some RandomNumberGenerator) -> (Identifier, Properties) {
    let id = Identifier.random(using: &generator)
    var shape = Properties()
    shape.kind = .rectangle
    shape.size = Size(width: ShapeFactory.sideLength, height: ShapeFactory.sideLength)
    shape.position = place(for: shape.size, using: &generator)
    shape.fill = Color.bright(using: &generator)
    return (id, shape)
  }

  /// A circle with a random bright colour around a point.
  public static func circle(
    centredAt center: Point,
    using generator: inout some RandomNumberGenerator
  ) -> (Identifier, Properties) {
    let id = Identifier.random(using: &generator)
    var shape = Properties()
    shape.kind = .ellipse
    shape.size = Size(width: sideLength, height: sideLength)
    let coordinates = PropertyRules.coordinates
    shape.position = Point(
      x: coordinates.nearest(to: center.x - sideLength / 2),
      y: coordinates.nearest(to: center.y - sideLength / 2)
    )
    shape.fill = Color.bright(using: &generator)
    return (id, shape)
  }

  private func place(for size: Size, using generator: inout some RandomNumberGenerator) -> Point {
    let coordinates = PropertyRules.coordinates
    let left = coordinates.nearest(to: area.minX)
    let top = coordinates.nearest(to: area.minY)
    // A shape that is larger than the area starts at the area's edge.
    let right = max(left, coordinates.nearest(to: area.maxX - size.width))
    let bottom = max(top, coordinates.nearest(to: area.maxY - size.height))
    return Point(
      x: WholeNumber.random(in: left...right, within: coordinates, using: &generator),
      y: WholeNumber.random(in: top...bottom, within: coordinates, using: &generator)
    )
  }
}

extension Color {
  /// A colour of any hue, with a saturation of at least 0.5 and a brightness of at least 0.7.
  public static func bright(using generator: inout some RandomNumberGenerator) -> Color {
    let hue = WholeNumber.fraction(using: &generator)
    let saturation = 0.5 + WholeNumber.fraction(using: &generator) * 0.5
    let brightness = 0.7 + WholeNumber.fraction(using: &generator) * 0.3
    return Color(hue: hue, saturation: saturation, brightness: brightness)
  }
}

/// Random whole numbers that are the same on every platform: they don't depend on the width of `Int` or on the
/// platform's rounding functions.
private enum WholeNumber {
  /// 2⁵³: a `Double` can represent every multiple of 1/2⁵³ between 0 and 1.
  private static let fractionScale = 9_007_199_254_740_992.0

  static func fraction(using generator: inout some RandomNumberGenerator) -> Double {
    Double(generator.next() >> 11) / fractionScale
  }

  /// A random whole number in a range, which is first limited to the allowed values. If the range has no whole number,
  /// the result is its lower bound.
  static func random(
    in range: ClosedRange<Double>,
    within allowed: ClosedRange<Double>,
    using generator: inout some RandomNumberGenerator
  ) -> Double {
    let lower = allowed.nearest(to: range.lowerBound)
    let upper = allowed.nearest(to: range.upperBound)
    let first = lower.rounded(.up)
    let last = upper.rounded(.down)
    guard first <= last else { return lower }
    return first + Double(number(upTo: UInt64(last - first), using: &generator))
  }

  static func random(
    in range: ClosedRange<Int16>,
    within allowed: ClosedRange<Int16>,
    using generator: inout some RandomNumberGenerator
  ) -> Int16 {
    let range = range.clamped(to: allowed)
    let span = UInt64(range.upperBound - range.lowerBound)
    return range.lowerBound + Int16(number(upTo: span, using: &generator))
  }

  static func index(below count: Int, using generator: inout some RandomNumberGenerator) -> Int {
    Int(number(upTo: UInt64(count - 1), using: &generator))
  }

  /// A number up to `last`: the upper half of a 128-bit product. This draws exactly one random number, and is as
  /// uniform as 64 bits allow. The standard library's function may draw more than one, depending on the platform.
  private static func number(upTo last: UInt64, using generator: inout some RandomNumberGenerator) -> UInt64 {
    (last + 1).multipliedFullWidth(by: generator.next()).high
  }
}

extension ClosedRange where Bound == Double {
  /// The value in the range that is nearest to `value`. NaN gives the lower bound.
  fileprivate func nearest(to value: Double) -> Double {
    guard value >= lowerBound else { return lowerBound }
    return value > upperBound ? upperBound : value
  }
}
