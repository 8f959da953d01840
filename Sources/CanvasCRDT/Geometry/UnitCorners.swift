/// The corners of regular polygons and stars on the unit circle, clockwise, with the first corner at the top.
///
/// They are computed once, for every number of points that a shape may have (65 KB). A look-up is ten times as fast as
/// a sine, and every move of a shape needs the corners of the shape and of each neighbour.
enum UnitCorners {
  /// For each number of points, the directions of a star's tips and of the inner corners between the tips.
  private static let table: [Point] = {
    var corners: [Point] = []
    for points in Outline.pointsRange {
      for step in 0..<(2 * points) {
        let direction = Direction(degrees: 180 * Double(step) / Double(points))
        corners.append(Point(x: direction.sine, y: 0 - direction.cosine))
      }
    }
    return corners
  }()

  /// The direction after `step` steps around the circle, which is divided into `2 * points` equal steps. Even steps are
  /// tips, and odd steps are halfway between two tips.
  static func corner(_ step: Int, points: Int) -> Point {
    // The table lists the corners for 3, 4, 5, … points, and has twice as many corners as points for each. So the
    // number of corners before those of `points` is twice the sum of 3 to `points - 1`.
    table[points * points - points - 6 + step]
  }
}
