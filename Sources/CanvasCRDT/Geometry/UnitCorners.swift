/// The corners of regular polygons and stars on the unit circle, the first at the top, clockwise.
///
/// They are computed once for every number of points that a shape may have (65 KB): a sine costs ten times as much as a
/// lookup, and every move of a shape needs the corners of the shape and of each neighbour.
enum UnitCorners {
  /// Each number of points has twice as many directions: a star's tips, and an inner corner between each two.
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

  /// The direction of step `step` of `2 * points` around the circle. Even steps are tips, odd steps lie halfway
  /// between.
  static func corner(_ step: Int, points: Int) -> Point {
    // The number of entries before it: the sum of the doubles of all numbers of points from 3 to `points - 1`.
    table[points * points - points - 6 + step]
  }
}
