extension Outline {
  /// If the common part of two outlines is nowhere thicker than this, the outlines only touch. Two upright rectangles
  /// are compared with a smaller tolerance, the rounding of decimals (`Rect.rounding`).
  ///
  /// Neighbouring values of a position near 10⁷ are 2·10⁻⁹ apart, those of a size near 10⁶ are 10⁻¹⁰ apart. Rotation
  /// adds a few such errors. So shapes that were meant to touch may overlap by up to about 10⁻⁸ units. The bound is a
  /// hundred times as large, but still too small to see.
  public static let overlapDepthMin = 1e-6
}

extension PlacedOutline {
  func overlaps(_ other: PlacedOutline) -> Bool {
    var steps = 0
    return overlaps(other, steps: &steps)
  }

  /// - Parameter steps: is increased by the work done, in units of one comparison of two boxes. Two stars of 64
  ///   tips can take thousands of steps.
  func overlaps(_ other: PlacedOutline, steps: inout Int) -> Bool {
    steps += 2
    guard box.overlaps(other.box), hasArea, other.hasArea, overlaps, other.overlaps else { return false }
    if isUprightRectangle, other.isUprightRectangle { return box.sharesArea(with: other.box) }
    // The comparison uses the coordinates of one of the two outlines, and the choice affects rounding. A fixed order of
    // outlines makes the choice, and so the result, independent of the order of the arguments.
    return other.outline.precedes(outline)
      ? other.piecesOverlap(self, steps: &steps) : piecesOverlap(other, steps: &steps)
  }

  /// The overlap is computed in this outline's own coordinates, so that shapes far from the canvas's origin lose no
  /// digits.
  private func piecesOverlap(_ other: PlacedOutline, steps: inout Int) -> Bool {
    let width = (other.outline.size.width - outline.size.width) / 2
    let height = (other.outline.size.height - outline.size.height) / 2
    let center = direction.turningBack(
      (other.outline.position.x - outline.position.x) + width,
      (other.outline.position.y - outline.position.y) + height
    )
    let turned = other.direction.relative(to: direction)
    if turnedBoxesAreApart(other, center: center, turned: turned) { return false }
    let capacity = ConvexPieces.capacity(for: outline)
    return withUnsafeTemporaryAllocation(
      of: Point.self,
      capacity: capacity + ConvexPieces.capacity(for: other.outline)
    ) { storage in
      let mine = ConvexPieces(
        of: outline,
        center: Point(x: 0, y: 0),
        direction: Direction(cosine: 1, sine: 0),
        in: UnsafeMutableBufferPointer(rebasing: storage[..<capacity])
      )
      let theirs = ConvexPieces(
        of: other.outline,
        center: center,
        direction: turned,
        in: UnsafeMutableBufferPointer(rebasing: storage[capacity...])
      )
      steps += (capacity + ConvexPieces.capacity(for: other.outline)) / 8
      return mine.overlap(theirs, steps: &steps)
    }
  }

  /// Whether there is a gap between the two rotated boxes, along the sides of either box. This quick check rules out
  /// most neighbours whose bounds overlap.
  private func turnedBoxesAreApart(_ other: PlacedOutline, center: Point, turned: Direction) -> Bool {
    let cosine = turned.cosine.magnitude
    let sine = turned.sine.magnitude
    let mine = Size(width: outline.size.width / 2, height: outline.size.height / 2)
    let theirs = Size(width: other.outline.size.width / 2, height: other.outline.size.height / 2)
    let back = turned.turningBack(center.x, center.y)
    let tolerance = Outline.overlapDepthMin
    return mine.width + theirs.width * cosine + theirs.height * sine - center.x.magnitude <= tolerance
      || mine.height + theirs.width * sine + theirs.height * cosine - center.y.magnitude <= tolerance
      || theirs.width + mine.width * cosine + mine.height * sine - back.x.magnitude <= tolerance
      || theirs.height + mine.width * sine + mine.height * cosine - back.y.magnitude <= tolerance
  }
}

extension ConvexPieces {
  /// Whether a piece of this outline shares area with a piece of the other outline.
  func overlap(_ other: ConvexPieces, steps: inout Int) -> Bool {
    var around = other.box(0)
    for piece in 1..<Swift.max(1, other.count) {
      let box = other.box(piece)
      around.extend(to: Point(x: box.minX, y: box.minY))
      around.extend(to: Point(x: box.maxX, y: box.maxY))
    }
    for piece in 0..<count {
      let box = box(piece)
      guard box.overlaps(around) else { continue }
      steps += other.count
      for otherPiece in 0..<other.count {
        if other.count > 1, !box.overlaps(other.box(otherPiece)) { continue }
        if self.piece(piece, overlaps: otherPiece, of: other) { return true }
      }
    }
    return false
  }

  private func piece(_ piece: Int, overlaps otherPiece: Int, of other: ConvexPieces) -> Bool {
    let tolerance = Outline.overlapDepthMin
    switch (isPolygon(piece), other.isPolygon(otherPiece)) {
    case (true, true): return polygon(piece).overlaps(other.polygon(otherPiece), tolerance: tolerance)
    case (true, false): return other.ellipse(otherPiece).overlaps(polygon(piece), tolerance: tolerance)
    case (false, true): return ellipse(piece).overlaps(other.polygon(otherPiece), tolerance: tolerance)
    case (false, false): return ellipse(piece).overlaps(other.ellipse(otherPiece), tolerance: tolerance)
    }
  }
}

extension Outline {
  /// An arbitrary total order of outlines, by all their properties.
  fileprivate func precedes(_ other: Outline) -> Bool {
    if kind != other.kind { return kind.rawValue < other.kind.rawValue }
    if position.x != other.position.x { return position.x < other.position.x }
    if position.y != other.position.y { return position.y < other.position.y }
    if size.width != other.size.width { return size.width < other.size.width }
    if size.height != other.size.height { return size.height < other.size.height }
    if rotation != other.rotation { return rotation < other.rotation }
    if cornerRadius != other.cornerRadius { return cornerRadius < other.cornerRadius }
    if points != other.points { return points < other.points }
    return innerRatio < other.innerRatio
  }
}
