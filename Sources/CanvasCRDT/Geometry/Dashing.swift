// Broken lines (S11): the length of their parts, and when a line is worth drawing in parts.

extension Dash {
  /// The distance from the beginning of one part to that of the next. A line that isn't broken has no parts.
  public func step(width: Double) -> Double {
    switch self {
    case .solid: .infinity
    case .dashed: 5 * width
    case .dotted: 2 * width
    }
  }

  /// The length of a part along the line, without its round ends.
  public func partLength(width: Double) -> Double {
    switch self {
    case .solid: .infinity
    case .dashed: 3 * width
    case .dotted: 0
    }
  }
}

/// How many more parts the broken lines of one picture may have.
///
/// A line may be a thousand times as long as a picture is wide, and a dot a thousandth of a pixel: drawing a few
/// hundred bytes could take minutes. So lines whose parts are smaller than a pixel are drawn solid. So are all lines
/// after a number of parts that is more than anybody can see.
public struct DashBudget: Sendable {
  /// Lines whose parts are closer together than this are solid.
  private let pixel: Double
  public private(set) var partsLeft: Int

  public static let partsMax = 50_000

  public init(pixel: Double, parts: Int = DashBudget.partsMax) {
    self.pixel = pixel
    partsLeft = parts
  }

  /// Whether a line is to be drawn in parts. If so, the parts are subtracted from the budget.
  ///
  /// - Parameter length: the length of the part of the line that is drawn.
  public mutating func takes(_ dash: Dash, width: Double, length: Double) -> Bool {
    let step = dash.step(width: width)
    guard dash != .solid, step >= pixel, length.isFinite else { return false }
    let parts = length / step + 1
    guard parts <= Double(partsLeft) else { return false }
    partsLeft -= Int(parts)
    return true
  }
}

extension DrawnLine.Piece {
  /// An upper bound of the piece's length.
  public var lengthMax: Double {
    guard let control else { return from.distance(to: to) }
    return from.distance(to: control) + control.distance(to: to)
  }
}

extension Outline {
  /// An upper bound of the outline's length.
  var lengthMax: Double {
    switch kind {
    case .polygon, .star:
      // Polygons and stars have no curves, so the flatness doesn't matter.
      let corners = polygon(flatness: 1)
      var length = 0.0
      for index in corners.indices { length += corners[index].distance(to: corners[(index + 1) % corners.count]) }
      return length
    case .rectangle, .roundedRectangle, .ellipse, .text, .line, .ink: return 2 * (size.width + size.height)
    }
  }
}

extension Point {
  fileprivate func distance(to other: Point) -> Double {
    let (dx, dy) = (other.x - x, other.y - y)
    return (dx * dx + dy * dy).squareRoot()
  }
}
