// Broken lines (S11): how long their parts are, and which are worth being drawn in parts.

extension Dash {
  /// How far it is from the beginning of one part to that of the next. A line that isn't broken has no parts.
  public func step(width: Double) -> Double {
    switch self {
    case .solid: .infinity
    case .dashed: 5 * width
    case .dotted: 2 * width
    }
  }

  /// How long a part is along the line, without its round ends.
  public func partLength(width: Double) -> Double {
    switch self {
    case .solid: .infinity
    case .dashed: 3 * width
    case .dotted: 0
    }
  }
}

/// How many parts the broken lines of one picture may still have.
///
/// A line may be a thousand times as long as a picture is wide, and a dot a thousandth of a pixel: a few hundred bytes would
/// keep whoever draws it busy for minutes. So lines whose parts are smaller than a pixel are drawn solid. So are those after
/// the first parts of a picture, of which there are more than anybody sees.
public struct DashBudget: Sendable {
  /// A line whose parts follow each other closer than this is solid.
  private let pixel: Double
  public private(set) var partsLeft: Int

  public static let partsMax = 50_000

  public init(pixel: Double, parts: Int = DashBudget.partsMax) {
    self.pixel = pixel
    partsLeft = parts
  }

  /// Whether a line is to be drawn in parts; if so, they are taken off.
  ///
  /// - Parameter length: as much of the line as is drawn.
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
  /// No less than the piece is long.
  public var lengthMax: Double {
    guard let control else { return from.distance(to: to) }
    return from.distance(to: control) + control.distance(to: to)
  }
}

extension Outline {
  /// No less than it is around.
  var lengthMax: Double {
    switch kind {
    case .polygon, .star:
      // Neither has curves, so the flatness doesn't matter.
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
