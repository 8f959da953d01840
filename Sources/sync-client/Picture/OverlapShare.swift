import CanvasCRDT

/// How much two shapes overlap.
enum OverlapShare {
  /// The common area as a fraction of the smaller shape's area. 1 if one shape is completely inside the other.
  ///
  /// - Parameter loops: the common area.
  static func of(_ loops: [[Point]], _ first: Outline, _ second: Outline) -> Double {
    let smaller = min(first.area, second.area)
    return smaller > 0 ? min(1, area(of: loops) / smaller) : 0
  }

  /// The total area of simple polygons that don't overlap.
  static func area(of loops: [[Point]]) -> Double {
    var doubled = 0.0
    for loop in loops {
      guard let first = loop.first else { continue }
      // Coordinates relative to a corner of the polygon keep precision far from the origin.
      for index in loop.indices {
        let from = loop[index]
        let to = loop[(index + 1) % loop.count]
        doubled += (from.x - first.x) * (to.y - first.y) - (to.x - first.x) * (from.y - first.y)
      }
    }
    return doubled.magnitude / 2
  }
}

extension CommonAreas {
  /// The share of the smaller shape that is common to both. `nil` if it takes too long.
  mutating func share(_ first: Outline, _ second: Outline) -> Double? {
    loops(first, second).map { OverlapShare.of($0, first, second) }
  }
}
