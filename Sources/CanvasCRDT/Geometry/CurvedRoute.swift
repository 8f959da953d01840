/// The way of a curved line (S17): a smooth curve through all of its points, as quadratic curves, two between each two
/// points.
///
/// Between two points, the curve stays within the upright box around them. So all of it lies within the line's box. At
/// a point that is the highest, lowest, leftmost or rightmost of its neighbours, the curve turns back exactly there.
struct CurvedRoute {
  /// At least three points, relative to the line's box before it is rotated.
  let points: [Point]

  /// The two curves from a point to the next one.
  func pieces(from index: Int) -> (first: Piece, second: Piece) {
    let (from, to) = (points[index], points[index + 1])
    let (leaves, arrives) = (way(at: index, of: index), way(at: index + 1, of: index))
    let first = Point(x: from.x + leaves.x / 4, y: from.y + leaves.y / 4)
    let second = Point(x: to.x - arrives.x / 4, y: to.y - arrives.y / 4)
    let middle = first.middle(to: second)
    return (Piece(from: from, control: first, to: middle), Piece(from: middle, control: second, to: to))
  }

  /// The direction of the curve at a point, as long as the step to a neighbour. From an end to its neighbour the curve
  /// is a single parabola.
  private func way(at point: Int, of step: Int) -> Point {
    guard point == 0 || point == points.count - 1 else {
      let (before, after) = (self.step(point - 1), self.step(point))
      return Point(x: CurvedRoute.lesser(before.x, after.x), y: CurvedRoute.lesser(before.y, after.y))
    }
    let (whole, other) = (self.step(step), way(at: point == 0 ? 1 : point - 1, of: step))
    return Point(x: 2 * whole.x - other.x, y: 2 * whole.y - other.y)
  }

  private func step(_ index: Int) -> Point {
    Point(x: points[index + 1].x - points[index].x, y: points[index + 1].y - points[index].y)
  }

  /// The smaller of two steps in the same direction. 0 if the way turns back.
  private static func lesser(_ step: Double, _ next: Double) -> Double {
    step * next <= 0 ? 0 : step.magnitude < next.magnitude ? step : next
  }

  /// A quadratic curve.
  struct Piece {
    var from: Point
    var control: Point
    var to: Point

    /// - Parameter part: from 0 to 1.
    func point(at part: Double) -> Point { from.blended(control, part).blended(control.blended(to, part), part) }
  }
}
