/// A line or a freehand stroke (ink) as it is drawn (S14, S15): its pieces, in order, and the filled shapes at its
/// ends.
public struct DrawnLine: Hashable, Sendable {
  /// A piece of the line, with one width from end to end. It is a quadratic curve if it has a control point, otherwise
  /// it is straight.
  public struct Piece: Hashable, Sendable {
    public var from: Point
    public var control: Point?
    public var to: Point
    public var width: Double
  }

  /// The filled shape at an end of a line.
  public enum Head: Hashable, Sendable {
    case arrow(tip: Point, left: Point, right: Point)
    case dot(center: Point, radius: Double)
  }

  public internal(set) var pieces: [Piece] = []
  public private(set) var heads: [Head] = []

  /// `nil` if the shape is neither a line nor ink. A line that is tied to shapes must be passed as `Canvas.drawn`
  /// returns it.
  /// - Parameter pointStep: the step between drawn points; 1 draws all. The first and the last point are always drawn.
  public init?(_ shape: Shape, pointStep: Int = 1) {
    let properties = shape.properties
    let points = shape.pathPoints
    let places = DrawnLine.places(of: points.count, step: pointStep)
    switch properties.kind {
    case .line:
      let width = properties.strokeWidth
      if properties.route == .curved, places.count > 2 {
        leadCurved(shape, through: places, width: width)
      } else {
        for index in 1..<places.count {
          pieces.append(Piece(from: points[places[index - 1]], control: nil, to: points[places[index]], width: width))
        }
      }
      addHeads(properties.fromEnd, properties.toEnd, width: width)
    case .ink:
      let widths = properties.path.points.map { properties.strokeWidth * Double($0.width) / 100 }
      leadSmoothly(
        through: places.map { points[$0] },
        places.map { $0 < widths.count ? widths[$0] : properties.strokeWidth }
      )
    default: return nil
    }
  }

  private static func places(of count: Int, step: Int) -> [Int] {
    (0..<count).filter { $0 % step == 0 || $0 == count - 1 }
  }

  /// Ink that somebody is still drawing. It has the same width everywhere.
  public init?(inkThrough points: [Point], width: Double) {
    guard let first = points.first else { return nil }
    let points = points.count > 1 ? points : [first, first]
    leadSmoothly(through: points, points.map { _ in width })
  }

  // MARK: - Lines

  /// The curve is made in the box before it is rotated, so that it turns with the box.
  private mutating func leadCurved(_ shape: Shape, through places: [Int], width: Double) {
    let shares = shape.pathShares
    let route = CurvedRoute(points: places.map { shares[$0] })
    for index in 0..<(places.count - 1) {
      let (first, second) = route.pieces(from: index)
      for piece in [first, second] {
        pieces.append(
          Piece(
            from: shape.point(atShare: piece.from),
            control: shape.point(atShare: piece.control),
            to: shape.point(atShare: piece.to),
            width: width
          )
        )
      }
    }
  }

  private mutating func addHeads(_ begins: LineEnd, _ ends: LineEnd, width: Double) {
    let last = pieces.count - 1
    let (first, end) = (pieces[0], pieces[last])
    if let base = addHead(begins, at: first.from, from: first.control ?? first.to, width: width) {
      pieces[0].from = base
    }
    if let base = addHead(ends, at: end.to, from: end.control ?? end.from, width: width) { pieces[last].to = base }
  }

  /// Adds the head, such as an arrow, that the line has at one end. Returns where the line itself must end, so that it
  /// doesn't show beside an arrow's tip: at the arrow's base, but not past `before`, where a curve would turn back.
  private mutating func addHead(_ head: LineEnd, at end: Point, from before: Point, width: Double) -> Point? {
    switch head {
    case .plain: return nil
    case .dot:
      heads.append(.dot(center: end, radius: DrawnLine.dotLength(width) / 2))
      return nil
    case .arrow:
      let way = Point(x: end.x - before.x, y: end.y - before.y)
      let length = (way.x * way.x + way.y * way.y).squareRoot()
      guard length > 0 else { return nil }
      let arrow = DrawnLine.arrowLength(width)
      let along = Point(x: way.x / length * arrow, y: way.y / length * arrow)
      let base = Point(x: end.x - along.x, y: end.y - along.y)
      heads.append(
        .arrow(
          tip: end,
          left: Point(x: base.x + along.y / 2, y: base.y - along.x / 2),
          right: Point(x: base.x - along.y / 2, y: base.y + along.x / 2)
        )
      )
      let part = Swift.min(arrow, length) / arrow
      return Point(x: end.x - along.x * part, y: end.y - along.y * part)
    }
  }

  /// The length of an arrowhead, which is also its width.
  static func arrowLength(_ width: Double) -> Double { 3 * width + 6 }
  /// The diameter of the dot at an end of a line.
  static func dotLength(_ width: Double) -> Double { 2 * width + 4 }

  /// How far a line of this stroke width extends beyond its points. A stroke of ink is at most twice as wide as the
  /// stroke width.
  public static func reach(_ width: Double) -> Double { Swift.max(width, arrowLength(width) / 2, dotLength(width) / 2) }

  // MARK: - Ink

  private mutating func leadSmoothly(through points: [Point], _ widths: [Double]) {
    let last = points.count - 1
    var from = points[0]
    for index in 0..<last {
      let to = points[index].middle(to: points[index + 1])
      pieces.append(Piece(from: from, control: index == 0 ? nil : points[index], to: to, width: widths[index]))
      from = to
    }
    pieces.append(Piece(from: from, control: nil, to: points[last], width: widths[last]))
  }
}

extension DrawnLine.Piece {
  /// The points along the piece, for callers that draw straight segments instead of curves.
  public func points(steps: Int) -> [Point] {
    guard let control, steps > 1 else { return [from, to] }
    return (0...steps).map { step in
      let part = Double(step) / Double(steps)
      let (one, other) = (from.blended(control, part), control.blended(to, part))
      return one.blended(other, part)
    }
  }
}

extension DrawnLine {
  /// The pieces, grouped by width. Within a group, they keep their order.
  var piecesByWidth: [Piece] {
    guard pieces.contains(where: { $0.width != pieces[0].width }) else { return pieces }
    return pieces.indices.sorted { (pieces[$0].width, $0) < (pieces[$1].width, $1) }.map { pieces[$0] }
  }

  /// The distance from a point to the middle of the line, or to the filled shape at an end.
  public func distance(to point: Point) -> Double {
    var least = heads.reduce(.infinity) { Swift.min($0, $1.distance(to: point)) }
    for piece in pieces {
      let points = piece.points(steps: 8)
      for index in 0..<(points.count - 1) {
        least = Swift.min(least, point.distance(toSegment: points[index], points[index + 1]) - piece.width / 2)
      }
    }
    return least
  }
}

extension DrawnLine.Head {
  /// Not above 0 within the head.
  fileprivate func distance(to point: Point) -> Double {
    switch self {
    case .dot(let center, let radius): return point.distance(to: center) - radius
    case .arrow(let tip, let left, let right):
      let sides = [(tip, left), (left, right), (right, tip)]
      let turns = sides.map { ($1.x - $0.x) * (point.y - $0.y) - ($1.y - $0.y) * (point.x - $0.x) }
      if turns.allSatisfy({ $0 >= 0 }) || turns.allSatisfy({ $0 <= 0 }) { return 0 }
      return sides.reduce(.infinity) { Swift.min($0, point.distance(toSegment: $1.0, $1.1)) }
    }
  }
}

extension Point {
  func middle(to other: Point) -> Point { Point(x: (x + other.x) / 2, y: (y + other.y) / 2) }

  func blended(_ other: Point, _ part: Double) -> Point {
    Point(x: x + (other.x - x) * part, y: y + (other.y - y) * part)
  }

  fileprivate func distance(toSegment from: Point, _ to: Point) -> Double {
    let (dx, dy) = (to.x - from.x, to.y - from.y)
    let square = dx * dx + dy * dy
    let along = square == 0 ? 0 : Swift.max(0, Swift.min(1, ((x - from.x) * dx + (y - from.y) * dy) / square))
    let (offX, offY) = (x - from.x - dx * along, y - from.y - dy * along)
    return (offX * offX + offY * offY).squareRoot()
  }
}
