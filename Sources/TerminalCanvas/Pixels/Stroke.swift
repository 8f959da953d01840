import CanvasCRDT

/// A closed line of some width, as polygons: a box along each edge, and a wedge between two boxes at each corner.
///
/// All of them turn the same way. So a coverage adds them up to the line with round corners, however they overlap.
enum Stroke {
  /// A corner that turns by less than a quarter of a right angle is closed by one triangle.
  private static let flatCosine = 0.92

  static func polygons(along corners: [Point], width: Double) -> [[Point]] {
    guard corners.count > 1, width > 0 else { return [] }
    let reach = width / 2
    let edges = edges(of: corners)
    guard var before = edges.last else { return [] }
    var polygons: [[Point]] = []
    polygons.reserveCapacity(edges.count * 2)
    for edge in edges {
      addCorner(at: edge.from, before.normal, edge.normal, reach, to: &polygons)
      let x = edge.normal.x * reach
      let y = edge.normal.y * reach
      polygons.append([
        Point(x: edge.from.x + x, y: edge.from.y + y), Point(x: edge.to.x + x, y: edge.to.y + y),
        Point(x: edge.to.x - x, y: edge.to.y - y), Point(x: edge.from.x - x, y: edge.from.y - y),
      ])
      before = edge
    }
    return polygons
  }

  private struct Edge {
    let from: Point
    let to: Point
    /// Has length one, and points to the left when one looks along the edge.
    let normal: Point
  }

  private static func edges(of corners: [Point]) -> [Edge] {
    var edges: [Edge] = []
    edges.reserveCapacity(corners.count)
    var from = corners[corners.count - 1]
    for to in corners {
      let x = to.x - from.x
      let y = to.y - from.y
      let length = (x * x + y * y).squareRoot()
      if length > 0 { edges.append(Edge(from: from, to: to, normal: Point(x: y / length, y: 0 - x / length))) }
      from = to
    }
    return edges
  }

  /// The wedge between two boxes on the outer side, as a fan.
  private static func addCorner(
    at corner: Point,
    _ before: Point,
    _ after: Point,
    _ reach: Double,
    to polygons: inout [[Point]]
  ) {
    let turn = before.x * after.y - before.y * after.x
    guard turn != 0 || before.x * after.x + before.y * after.y < 0 else { return }
    // The outer side is the one that the line turns away from. There the fan turns as the boxes do.
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
