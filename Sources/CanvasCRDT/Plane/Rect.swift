/// An upright rectangle: its top left corner and its size. y grows downwards.
public struct Rect: Hashable, Sendable {
  public var origin: Point
  public var size: Size

  @inlinable
  public init(origin: Point, size: Size) {
    self.origin = origin
    self.size = size
  }

  @inlinable public var minX: Double { origin.x }
  @inlinable public var minY: Double { origin.y }
  @inlinable public var maxX: Double { origin.x + size.width }
  @inlinable public var maxY: Double { origin.y + size.height }

  @inlinable public var center: Point { Point(x: origin.x + size.width / 2, y: origin.y + size.height / 2) }
  @inlinable public var area: Double { size.width * size.height }
}

// MARK: - Intersection of two rectangles

extension Rect {
  /// The intersection of two rectangles. `nil` if it has no area, because the rectangles only touch or because one of
  /// them has no area itself.
  @inlinable
  public init?(intersecting first: Rect, _ second: Rect) {
    guard
      let across = Rect.commonSpan(first.minX, first.size.width, second.minX, second.size.width),
      let down = Rect.commonSpan(first.minY, first.size.height, second.minY, second.size.height)
    else { return nil }
    self.init(
      origin: Point(x: across.start, y: down.start),
      size: Size(width: across.length, height: down.length)
    )
  }

  /// Whether `init(intersecting:_:)` would return a rectangle.
  @inlinable
  public func intersects(_ other: Rect) -> Bool {
    Rect.commonSpan(minX, size.width, other.minX, other.size.width) != nil
      && Rect.commonSpan(minY, size.height, other.minY, other.size.height) != nil
  }

  /// Two edges that differ by at most this much count as equal, because each edge is a rounded sum of decimals. For
  /// example, 14.8 + 123.9 is 138.70000000000002, and a rectangle that is placed at 138.7 touches that edge.
  @inlinable
  static func rounding(_ first: Double, _ firstEnd: Double, _ second: Double, _ secondEnd: Double) -> Double {
    (first.magnitude + firstEnd.magnitude + second.magnitude + secondEnd.magnitude) * 0x1p-50
  }

  /// Every comparison with NaN is false, so a rectangle with a NaN intersects nothing.
  @inlinable
  static func commonSpan(
    _ first: Double,
    _ firstLength: Double,
    _ second: Double,
    _ secondLength: Double
  ) -> (start: Double, length: Double)? {
    let firstEnd = first + firstLength
    let secondEnd = second + secondLength
    let rounding = Rect.rounding(first, firstEnd, second, secondEnd)
    guard secondEnd - first > rounding, firstEnd - second > rounding, first < firstEnd, second < secondEnd else {
      return nil
    }
    // If one span contains the other, the inner span's length is the exact answer. The difference of two sums might be
    // rounded.
    if first >= second, firstEnd <= secondEnd { return (first, firstLength) }
    if second >= first, secondEnd <= firstEnd { return (second, secondLength) }
    return first > second ? (first, secondEnd - first) : (second, firstEnd - second)
  }

  /// The smallest rectangle that contains both rectangles.
  @inlinable
  public func union(_ other: Rect) -> Rect {
    let left = Swift.min(minX, other.minX)
    let top = Swift.min(minY, other.minY)
    return Rect(
      origin: Point(x: left, y: top),
      size: Size(width: Swift.max(maxX, other.maxX) - left, height: Swift.max(maxY, other.maxY) - top)
    )
  }

  /// Whether the point is inside the rectangle or on an edge.
  @inlinable
  public func contains(_ point: Point) -> Bool {
    point.x >= minX && point.x <= maxX && point.y >= minY && point.y <= maxY
  }

  /// Whether the other rectangle is inside this one. Edges may coincide.
  @inlinable
  public func contains(_ other: Rect) -> Bool {
    other.minX >= minX && other.maxX <= maxX && other.minY >= minY && other.maxY <= maxY
  }
}
