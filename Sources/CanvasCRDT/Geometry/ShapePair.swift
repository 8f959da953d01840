/// Two shapes, with the smaller identifier first.
public struct ShapePair: Hashable, Sendable {
  public let first: Identifier
  public let second: Identifier

  /// Makes a pair of two shapes, given in either order.
  @inlinable
  public init(_ one: Identifier, _ other: Identifier) {
    first = one < other ? one : other
    second = one < other ? other : one
  }
}

extension ShapePair: Comparable {
  @inlinable
  public static func < (left: ShapePair, right: ShapePair) -> Bool {
    left.first != right.first ? left.first < right.first : left.second < right.second
  }
}

/// The pairs of shapes that began or stopped overlapping with a change, both sorted.
public struct OverlapChanges: Hashable, Sendable {
  public var began: [ShapePair] = []
  public var ended: [ShapePair] = []

  @inlinable public init() {}

  @inlinable public var isEmpty: Bool { began.isEmpty && ended.isEmpty }
}
