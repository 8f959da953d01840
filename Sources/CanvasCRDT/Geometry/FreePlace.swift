extension OverlapIndex {
  /// Coordinates of positions may be from −10⁷ to 10⁷.
  static let positionMax = 1e7

  /// The nearest place to `near` at which the top left corner of an upright box can be without the box overlapping a
  /// shape. It is `near` itself if that is free, and always within the allowed positions. Of two that are equally near,
  /// the upper one wins, then the left one.
  ///
  /// The place is free exactly. Up to rounding, nothing nearer is free among rectangles, polygons and stars; near a
  /// curve the distance may be greater than necessary by 1/1,800 of the larger radius. A search that takes too long
  /// (see `FreePlaceSearch.Limits`) returns the best place found or a place beside everything, whichever is nearer.
  /// `nil` only if no free place was found at all, for example because shapes cover all positions.
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
    // With the arguments in this order, a value that isn't a number becomes the lower bound.
    Swift.max(-positionMax, Swift.min(value, positionMax))
  }

  /// The nearest of the places to the right of, left of, below and above all shapes.
  private func placeBesideEverything(for size: Size, near: Point) -> (place: Point, distance: Double)? {
    var around = Box.empty
    // Maximum and minimum don't depend on the order.
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
