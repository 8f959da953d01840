/// The kind of a shape. A new kind is one case here and its outline in `Outline`.
///
/// A case's place stands for it in the binary encoding, so new ones come last.
public enum ShapeKind: UInt8, CaseIterable, Hashable, Sendable {
  case rectangle
  case roundedRectangle
  case ellipse
  case polygon
  case star
  /// Text without an area of its own: nothing is filled, and it overlaps nothing.
  case text

  /// The kind's name on the wire.
  public var wireName: StaticString {
    switch self {
    case .rectangle: "rectangle"
    case .roundedRectangle: "roundedRectangle"
    case .ellipse: "ellipse"
    case .polygon: "polygon"
    case .star: "star"
    case .text: "text"
    }
  }

  /// The kind in words, as the first half of a made-up name.
  public var words: StaticString {
    switch self {
    case .rectangle: "Rectangle"
    case .roundedRectangle: "Rounded rectangle"
    case .ellipse: "Ellipse"
    case .polygon: "Polygon"
    case .star: "Star"
    case .text: "Text"
    }
  }

  /// Whether shapes of this kind take part in overlaps (S7).
  @inlinable
  public var overlaps: Bool { self != .text }

  /// The kinds that are outlines, and nothing else.
  public static let outlines: [ShapeKind] = [.rectangle, .roundedRectangle, .ellipse, .polygon, .star]
}

/// A set of kinds.
public struct ShapeKinds: OptionSet, Sendable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public init(_ kind: ShapeKind) { rawValue = 1 << UInt32(kind.rawValue) }

  public static var all: ShapeKinds { ShapeKinds(rawValue: .max) }
  public static var roundedRectangle: ShapeKinds { ShapeKinds(.roundedRectangle) }
  public static var polygon: ShapeKinds { ShapeKinds(.polygon) }
  public static var star: ShapeKinds { ShapeKinds(.star) }
  /// Those that have an area, and a line around it.
  public static var areas: ShapeKinds { ShapeKinds(rawValue: all.rawValue & ~ShapeKinds(.text).rawValue) }
}
