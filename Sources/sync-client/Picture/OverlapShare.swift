import CanvasCRDT

/// How much two shapes overlap.
enum OverlapShare {
  /// The common area as a fraction of the smaller shape's area. 1 if one shape is completely inside the other. `nil` if
  /// it would take too long to compute.
  static func of(_ first: Outline, _ second: Outline) -> Double? {
    first.commonRegion(with: second).map { of($0, first, second) }
  }

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
