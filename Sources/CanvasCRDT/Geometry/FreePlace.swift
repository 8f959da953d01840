extension OverlapIndex {
  /// Positions are allowed from the negative of this to it, each way.
  static let positionMax = 1e7

  /// The place nearest to `near`, for the top left corner of an upright box, where the box overlaps nobody: `near`
  /// itself where that is free, and always within the positions that shapes may have. Of two equally near the upper,
  /// then the left one.
  ///
  /// That it is free is exact. That nothing nearer is free is too, but for roundings, among rectangles, polygons and
  /// stars; around a curve the box keeps up to 1/1,800 of its larger radius more distance than it must. A search that
  /// becomes too long (see `FreePlaceSearch.Limits`) answers with the nearer of the best place that it has found and
  /// one beside everything. Nothing only where no free place was found at all, as where shapes cover all positions.
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
    // In this order what isn't a number becomes the lower bound.
    Swift.max(-positionMax, Swift.min(value, positionMax))
  }

  /// The nearest of the places to the right of, left of, below and above all shapes.
  private func placeBesideEverything(for size: Size, near: Point) -> (place: Point, distance: Double)? {
    var around = Box.empty
    // No order is needed for what the greatest and the least are.
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
