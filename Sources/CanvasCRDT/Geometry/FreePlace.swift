extension OverlapIndex {
  /// An upper bound on the absolute value of a position's coordinates.
  static let positionMax = 1e7

  /// The free place that is nearest to `near`. A place is free if an upright box of this size, whose top left corner is
  /// at the place, overlaps no shape.
  ///
  /// If `near` is free, the result is `near`. The result always lies within the allowed positions. Of two places that
  /// are equally near, the upper one wins, then the left one.
  ///
  /// The result is free exactly, without tolerance. Among rectangles, polygons and stars, no nearer place is free, up
  /// to rounding. Near a curve, the result may be further away than necessary by 1/1,800 of the curve's larger radius.
  /// A search that takes too long (see `FreePlaceSearch.Limits`) returns the best place that it has found or a place
  /// beside all shapes, whichever is nearer.
  ///
  /// `nil` if no free place was found, for example because shapes cover all positions.
  public func freePlace(for size: Size, near wanted: Point) -> Point? {
    freePlace(for: size, near: wanted, limits: FreePlaceSearch.Limits())
  }

  func freePlace(for size: Size, near wanted: Point, limits: FreePlaceSearch.Limits) -> Point? {
    guard size.width > 0, size.height > 0, size.width.isFinite, size.height.isFinite else { return nil }
    let near = Point(x: OverlapIndex.position(wanted.x), y: OverlapIndex.position(wanted.y))
    if isFree(Rect(origin: near, size: size)) { return near }
    var search = FreePlaceSearch(index: self, size: size, near: near, limits: limits)
    if search.run() { return search.best?.place }
    let beside = placeBesideEverything(for: size, near: near)
    guard let found = search.best else { return beside?.place }
    guard let beside, beside.distance * beside.distance < found.square else { return found.place }
    return beside.place
  }

  private static func position(_ value: Double) -> Double {
    // With the arguments in this order, NaN becomes the lower bound.
    Swift.max(-positionMax, Swift.min(value, positionMax))
  }

  /// The nearest of four places: to the right of, to the left of, below and above all shapes.
  private func placeBesideEverything(for size: Size, near: Point) -> (place: Point, distance: Double)? {
    var around = Box.empty
    // A map returns its values in any order. That doesn't matter here, because only the minimum and the maximum are
    // used.
    for place in places.values {
      let box = entries[Int(place)].placed.box
      around.extend(to: Point(x: box.minX, y: box.minY))
      around.extend(to: Point(x: box.maxX, y: box.maxY))
    }
    let beside = [
      Point(x: near.x, y: around.minY - size.height), Point(x: around.minX - size.width, y: near.y),
      Point(x: around.maxX, y: near.y), Point(x: near.x, y: around.maxY),
    ]
    var best: (place: Point, distance: Double)?
    for place in beside where place.x.magnitude <= OverlapIndex.positionMax {
      guard place.y.magnitude <= OverlapIndex.positionMax else { continue }
      let distance = Swift.max((place.x - near.x).magnitude, (place.y - near.y).magnitude)
      if distance < best?.distance ?? .infinity, isFree(Rect(origin: place, size: size)) { best = (place, distance) }
    }
    return best
  }
}
