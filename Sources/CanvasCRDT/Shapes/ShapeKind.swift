/// The kind of a shape. To add a kind, add a case here and its outline in `Outline`.
///
/// A case's position is its number in the binary encoding, so new cases must come last.
public enum ShapeKind: UInt8, CaseIterable, Hashable, Sendable {
  case rectangle
  case roundedRectangle
  case ellipse
  case polygon
  case star
  /// A text in an invisible box: it has no fill, and overlaps nothing.
  case text
  /// A line through points, with ends that can be tied to shapes.
  case line
  case ink

  public var wireName: StaticString {
    switch self {
    case .rectangle: "rectangle"
    case .roundedRectangle: "roundedRectangle"
    case .ellipse: "ellipse"
    case .polygon: "polygon"
    case .star: "star"
    case .text: "text"
    case .line: "line"
    case .ink: "ink"
    }
  }

  /// The kind as words for people, used in generated names.
  public var words: StaticString {
    switch self {
    case .rectangle: "Rectangle"
    case .roundedRectangle: "Rounded rectangle"
    case .ellipse: "Ellipse"
    case .polygon: "Polygon"
    case .star: "Star"
    case .text: "Text"
    case .line: "Line"
    case .ink: "Ink"
    }
  }

  /// Whether shapes of this kind take part in overlaps (S7).
  @inlinable
  public var overlaps: Bool { hasArea }

  /// Whether shapes of this kind have an area with a stroke around it.
  @inlinable
  public var hasArea: Bool {
    switch self {
    case .rectangle, .roundedRectangle, .ellipse, .polygon, .star: true
    case .text, .line, .ink: false
    }
  }

  /// Whether shapes of this kind consist only of a line along their path (S14, S15).
  @inlinable
  public var isStroke: Bool { self == .line || self == .ink }

  /// The kinds of shapes that are a filled outline.
  public static let outlines: [ShapeKind] = [.rectangle, .roundedRectangle, .ellipse, .polygon, .star]
}

public struct ShapeKinds: OptionSet, Sendable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public init(_ kind: ShapeKind) { rawValue = 1 << UInt32(kind.rawValue) }

  public static var all: ShapeKinds { ShapeKinds(rawValue: .max) }
  public static var roundedRectangle: ShapeKinds { ShapeKinds(.roundedRectangle) }
  public static var polygon: ShapeKinds { ShapeKinds(.polygon) }
  public static var star: ShapeKinds { ShapeKinds(.star) }
  public static var line: ShapeKinds { ShapeKinds(.line) }
  /// The kinds that have an area with a stroke around it.
  public static var areas: ShapeKinds { strokes.union(ShapeKinds(.text)).complement }
  public static var strokes: ShapeKinds { [ShapeKinds(.line), ShapeKinds(.ink)] }
  public static var filled: ShapeKinds { strokes.complement }
  public static var stroked: ShapeKinds { ShapeKinds(.text).complement }

  private var complement: ShapeKinds { ShapeKinds(rawValue: ~rawValue) }
}
