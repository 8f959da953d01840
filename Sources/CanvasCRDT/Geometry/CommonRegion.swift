extension Outline {
  /// An upper bound on the chords that approximate an ellipse in a common region. With 512, a circle of 10⁶ units is
  /// exact to 1/50,000 of its size.
  private static let regionChordsMax = 512

  /// The common area of two outlines, as simple polygons to draw, clockwise as seen. Empty if the outlines don't
  /// overlap, or if their common area is a sliver too thin for the chords that replace curves. `nil` if it is too
  /// intricate to be drawn, as that of two stars with 64 tips.
  ///
  /// Curves are flattened to an eighth of a unit or 1/500 of the shape's longer side, whichever is finer. Polygons may
  /// touch at corners, but a connected region is always one polygon.
  public func commonRegion(with other: Outline) -> [[Point]]? {
    var work = 0
    return commonRegion(with: other, work: &work)
  }

  /// - Parameter work: is increased by the parts of edges that were computed, which take most of the time.
  func commonRegion(with other: Outline, work: inout Int) -> [[Point]]? {
    guard overlaps(other) else { return [] }
    let center = PlacedOutline(self).center
    let apartX = (other.position.x - position.x) + (other.size.width - size.width) / 2
    let apartY = (other.position.y - position.y) + (other.size.height - size.height) / 2
    let mine = cornersToDraw
    let theirs = other.cornersToDraw.map { Point(x: $0.x + apartX, y: $0.y + apartY) }
    let intersection = SlabIntersection(mine, theirs)
    work += intersection.work
    guard !intersection.isTooIntricate else { return nil }
    return intersection.loops().map { loop in
      loop.map { Point(x: $0.x + center.x, y: $0.y + center.y) }
    }
  }

  private var cornersToDraw: [Point] {
    cornersAroundCenter(
      flatness: Swift.min(0.125, Swift.max(size.width, size.height) / 500),
      chordsMax: Outline.regionChordsMax
    )
  }
}
