// Dashed and dotted lines (S11): how long their dashes are, and when a line is drawn solid instead.

extension Dash {
  /// The distance from the beginning of one dash to the beginning of the next. Infinite for a solid line.
  public func step(width: Double) -> Double {
    switch self {
    case .solid: .infinity
    case .dashed: 5 * width
    case .dotted: 2 * width
    }
  }

  /// The length of a dash along the line, without its round ends.
  public func partLength(width: Double) -> Double {
    switch self {
    case .solid: .infinity
    case .dashed: 3 * width
    case .dotted: 0
    }
  }
}

/// How many more dashes one picture may have.
///
/// A line can be a thousand times as long as the picture is wide, and its dots as small as a thousandth of a pixel.
/// Drawing a few hundred bytes of operations could then take minutes. To prevent this, a line is drawn solid if its
/// dashes are smaller than a pixel. Once the picture has more dashes than anybody can see, all further lines are drawn
/// solid too.
public struct DashBudget: Sendable {
  /// The size of a pixel. A line is drawn solid if the distance from one dash to the next is smaller than a pixel.
  private let pixel: Double
  private var partsLeft: Int

  public static let partsMax = 50_000

  public init(pixel: Double, parts: Int = DashBudget.partsMax) {
    self.pixel = pixel
    partsLeft = parts
  }

  /// Whether a line is drawn in dashes. If so, subtracts the dashes from the budget.
  ///
  /// - Parameter length: the length of the line's visible part.
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
  /// An upper bound on the piece's length.
  public var lengthMax: Double {
    guard let control else { return from.distance(to: to) }
    return from.distance(to: control) + control.distance(to: to)
  }
}

extension Outline {
  /// An upper bound on the outline's length.
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
  func distance(to other: Point) -> Double {
    let (dx, dy) = (other.x - x, other.y - y)
    return (dx * dx + dy * dy).squareRoot()
  }
}
