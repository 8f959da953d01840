/// The corners of regular polygons and stars on the unit circle, first one up, clockwise.
///
/// Computed once for every number of points a shape may have (65 KB), because a sine costs ten times as much as a
/// lookup and the corners are wanted at every move of a shape and of each of its neighbours.
enum UnitCorners {
  /// For every number of points, twice as many directions: a star's tips, and between each two an inner corner.
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

  /// The direction of step `step` of `2 * points` around the circle; even steps are tips, odd ones halfway between.
  static func corner(_ step: Int, points: Int) -> Point {
    // All numbers of points from three to the one before take the sum of their doubles.
    table[points * points - points - 6 + step]
  }
}
