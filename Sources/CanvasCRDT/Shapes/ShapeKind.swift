/// What a shape is. A new kind is one case here and its outline in `Outline`.
public enum ShapeKind: UInt8, CaseIterable, Hashable, Sendable {
  case rectangle
  case roundedRectangle
  case ellipse
  case polygon
  case star

  /// As the wire names it.
  public var wireName: StaticString {
    switch self {
    case .rectangle: "rectangle"
    case .roundedRectangle: "roundedRectangle"
    case .ellipse: "ellipse"
    case .polygon: "polygon"
    case .star: "star"
    }
  }

  /// In words, as the first half of a made-up name.
  public var words: StaticString {
    switch self {
    case .rectangle: "Rectangle"
    case .roundedRectangle: "Rounded rectangle"
    case .ellipse: "Ellipse"
    case .polygon: "Polygon"
    case .star: "Star"
    }
  }
}
