extension Outline {
  /// An upper bound on the chords that replace an ellipse, at any size and any `flatness`.
  public static let chordsMax = 4096

  /// The outline as one simple polygon, clockwise on the screen. Chords replace curves. The distance between a chord
  /// and its curve is at most `flatness`, unless that needs more than `chordsMax` chords. The polygon's corners lie on
  /// the outline.
  public func polygon(flatness: Double) -> [Point] {
    let center = PlacedOutline(self).center
    return cornersAroundCenter(flatness: flatness, chordsMax: Outline.chordsMax).map {
      Point(x: center.x + $0.x, y: center.y + $0.y)
    }
  }

  /// The corners of `polygon(flatness:)`, relative to the centre of the box so that shapes far from the origin lose no
  /// digits.
  func cornersAroundCenter(flatness: Double, chordsMax: Int) -> [Point] {
    let direction = Direction(degrees: rotation)
    let halfWidth = size.width / 2
    let halfHeight = size.height / 2
    var corners: [Point] = []
    func append(_ x: Double, _ y: Double) {
      let corner = direction.turning(x, y)
      if corners.last != corner { corners.append(corner) }
    }
    switch kind {
    case .rectangle, .text, .line, .ink:
      append(-halfWidth, -halfHeight)
      append(halfWidth, -halfHeight)
      append(halfWidth, halfHeight)
      append(-halfWidth, halfHeight)
    case .roundedRectangle:
      let radius = drawnCornerRadius
      let chords = Outline.chords(radius: radius, flatness: flatness, chordsMax: chordsMax)
      // Adds a quarter circle for each corner of the box, starting at the top right.
      for quarter in 0..<4 {
        let x = (quarter < 2 ? 1 : -1) * (halfWidth - radius)
        let y = (quarter == 1 || quarter == 2 ? 1 : -1) * (halfHeight - radius)
        for step in 0...(chords / 4) {
          let turned = Direction(degrees: Double(90 * quarter) + 360 * Double(step) / Double(chords))
          append(x + radius * turned.sine, y - radius * turned.cosine)
        }
      }
    case .ellipse:
      let chords = Outline.chords(
        radius: Swift.max(halfWidth, halfHeight),
        flatness: flatness,
        chordsMax: chordsMax
      )
      for step in 0..<chords {
        let turned = Direction(degrees: 360 * Double(step) / Double(chords))
        append(halfWidth * turned.sine, 0 - halfHeight * turned.cosine)
      }
    case .polygon:
      for index in 0..<drawnPoints {
        let corner = UnitCorners.corner(2 * index, points: drawnPoints)
        append(corner.x * halfWidth, corner.y * halfHeight)
      }
    case .star:
      for step in 0..<(2 * drawnPoints) {
        let corner = UnitCorners.corner(step, points: drawnPoints)
        let ratio = step & 1 == 0 ? 1 : drawnInnerRatio
        append(corner.x * halfWidth * ratio, corner.y * halfHeight * ratio)
      }
    }
    while corners.count > 1, corners.last == corners.first { corners.removeLast() }
    return corners
  }

  /// How many chords approximate a circle within `flatness`. The distance between a chord over the angle 2φ and its arc
  /// is r·(1 − cos φ) ≈ r·φ²/2. The number of chords is a multiple of four, so that the outermost points of the circle
  /// are corners.
  private static func chords(radius: Double, flatness: Double, chordsMax: Int) -> Int {
    let wanted = Double.pi * (radius / (2 * Swift.max(flatness, 0))).squareRoot()
    guard wanted < Double(chordsMax) else { return chordsMax }
    return Swift.min(chordsMax, Swift.max(16, (Int(wanted) + 4) / 4 * 4))
  }
}
