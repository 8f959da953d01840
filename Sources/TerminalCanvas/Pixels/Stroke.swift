import CanvasCRDT

/// A line of some width, as polygons: a box along each edge, and a wedge between two boxes at each corner.
///
/// All polygons go around in the same direction, so they can overlap: `Coverage` still adds them up correctly to a line
/// with round corners.
enum Stroke {
  /// The cosine of about a quarter of a right angle. At a corner with a smaller turn, one triangle is enough.
  private static let flatCosine = 0.92

  /// A closed line as polygons.
  static func polygons(along corners: [Point], width: Double) -> [[Point]] {
    guard corners.count > 1, width > 0 else { return [] }
    let reach = width / 2
    let edges = edges(of: corners)
    guard var before = edges.last else { return [] }
    var polygons: [[Point]] = []
    polygons.reserveCapacity(edges.count * 2)
    for edge in edges {
      addCorner(at: edge.from, before.normal, edge.normal, reach, to: &polygons)
      polygons.append(edge.box(reach))
      before = edge
    }
    return polygons
  }

  /// A line or ink, with round ends: its pieces in order, each with its own width, but at least `widthMin` wide.
  ///
  /// - Parameter stepMax: the longest step along a curve.
  static func polygons(of line: DrawnLine, widthMin: Double, stepMax: Double) -> [[Point]] {
    var polygons: [[Point]] = []
    var before: (edge: Edge, reach: Double)?
    for piece in line.pieces {
      let reach = max(piece.width, widthMin) / 2
      let points = piece.points(steps: steps(of: piece, stepMax))
      for (from, to) in zip(points, points.dropFirst()) {
        guard let edge = Edge(from: from, to: to) else { continue }
        if let before, before.edge.to == from {
          addCorner(at: from, before.edge.normal, edge.normal, max(before.reach, reach), to: &polygons)
        } else {
          // An end is treated as a corner at which the line turns back. There are ends at a gap, too.
          if let before {
            addCorner(at: before.edge.to, before.edge.normal, before.edge.back, before.reach, to: &polygons)
          }
          addCorner(at: from, edge.back, edge.normal, reach, to: &polygons)
        }
        polygons.append(edge.box(reach))
        before = (edge, reach)
      }
    }
    if let before {
      addCorner(at: before.edge.to, before.edge.normal, before.edge.back, before.reach, to: &polygons)
    } else if let piece = line.pieces.first {
      // All points of the piece are the same.
      polygons.append(disc(around: piece.from, radius: max(piece.width, widthMin) / 2))
    }
    return polygons
  }

  /// The line as runs of points, each without a gap and with the same width everywhere.
  static func runs(of line: DrawnLine, stepMax: Double) -> [(points: [Point], width: Double)] {
    var runs: [(points: [Point], width: Double)] = []
    for piece in line.pieces {
      let points = piece.points(steps: steps(of: piece, stepMax))
      if let last = runs.last, last.width == piece.width, last.points.last == piece.from {
        runs[runs.count - 1].points += points.dropFirst()
      } else {
        runs.append((points, piece.width))
      }
    }
    return runs
  }

  private static func steps(of piece: DrawnLine.Piece, _ stepMax: Double) -> Int {
    guard let control = piece.control else { return 1 }
    func reach(_ one: Point, _ other: Point) -> Double { max((one.x - other.x).magnitude, (one.y - other.y).magnitude) }
    let steps = (reach(piece.from, control) + reach(control, piece.to)) / stepMax
    return Int(max(1, min(steps.rounded(.up), 16)))
  }

  /// A disc as a polygon of sixteen corners, which go around in the same direction as the corners of the boxes.
  static func disc(around center: Point, radius: Double) -> [Point] {
    discCorners.map { Point(x: center.x + $0.x * radius, y: center.y + $0.y * radius) }
  }

  private static let discCorners: [Point] = {
    var corners = [Point(x: 1, y: 0), Point(x: 0, y: 1), Point(x: -1, y: 0), Point(x: 0, y: -1)]
    for _ in 0..<2 {
      corners = zip(corners, corners.dropFirst() + corners.prefix(1)).flatMap { [$0, halfway($0, $1)] }
    }
    return corners
  }()

  struct Edge {
    let from: Point
    let to: Point
    let length: Double
    /// The unit normal. It points to the left, seen along the edge.
    let normal: Point

    /// `nil` if the two points are the same.
    init?(from: Point, to: Point) {
      let x = to.x - from.x
      let y = to.y - from.y
      length = (x * x + y * y).squareRoot()
      guard length > 0 else { return nil }
      self.from = from
      self.to = to
      normal = Point(x: y / length, y: 0 - x / length)
    }

    /// The normal of the edge in the opposite direction.
    var back: Point { Point(x: 0 - normal.x, y: 0 - normal.y) }

    func point(after length: Double) -> Point {
      let part = length / self.length
      return Point(x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part)
    }

    func box(_ reach: Double) -> [Point] {
      let x = normal.x * reach
      let y = normal.y * reach
      return [
        Point(x: from.x + x, y: from.y + y), Point(x: to.x + x, y: to.y + y),
        Point(x: to.x - x, y: to.y - y), Point(x: from.x - x, y: from.y - y),
      ]
    }
  }

  private static func edges(of corners: [Point]) -> [Edge] {
    var edges: [Edge] = []
    edges.reserveCapacity(corners.count)
    var from = corners[corners.count - 1]
    for to in corners {
      if let edge = Edge(from: from, to: to) { edges.append(edge) }
      from = to
    }
    return edges
  }

  /// Adds the wedge between two boxes, on the outer side of a corner, as a fan of triangles.
  static func addCorner(
    at corner: Point,
    _ before: Point,
    _ after: Point,
    _ reach: Double,
    to polygons: inout [[Point]]
  ) {
    let turn = before.x * after.y - before.y * after.x
    guard turn != 0 || before.x * after.x + before.y * after.y < 0 else { return }
    // The fan fills the outer side, which is the side from which the line turns away. Its corners go around in the same
    // direction as those of the boxes.
    let side: Double = turn > 0 ? 1 : -1
    var normals = side > 0 ? [before, after] : [after, before]
    for _ in 0..<3 {
      guard normals[0].x * normals[1].x + normals[0].y * normals[1].y < flatCosine else { break }
      var finer: [Point] = []
      for index in 0..<(normals.count - 1) {
        finer.append(normals[index])
        finer.append(halfway(normals[index], normals[index + 1]))
      }
      finer.append(normals[normals.count - 1])
      normals = finer
    }
    var fan = [corner]
    for normal in normals {
      fan.append(Point(x: corner.x + normal.x * reach * side, y: corner.y + normal.y * reach * side))
    }
    polygons.append(fan)
  }

  private static func halfway(_ one: Point, _ other: Point) -> Point {
    let x = one.x + other.x
    let y = one.y + other.y
    let length = (x * x + y * y).squareRoot()
    guard length > 1e-9 else { return Point(x: 0 - one.y, y: one.x) }
    return Point(x: x / length, y: y / length)
  }
}
