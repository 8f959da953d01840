import CanvasCRDT

/// Measures the cost of keeping overlaps up to date. On average, a shape has three neighbours.
struct OverlapFigures {
  let shapes: Int
  let moveMicroseconds: Double
  let buildMilliseconds: Double
  let pairs: Int
  /// How long it takes to compare all pairs of shapes. `nil` if that would take too long.
  let bruteForceMilliseconds: Double?

  static let bruteForceShapesMax = 5_000

  init(shapes: Int, seed: UInt64 = 7) {
    self.shapes = shapes
    let workload = Workload(shapes: shapes, updates: 0, seed: seed)
    let outlines = workload.canvas.shapes.map { (identifier: $0.id, outline: $0.outline) }
    var built = OverlapIndex()
    buildMilliseconds = medianSeconds(runs: shapes > 50_000 ? 3 : 7) { built = OverlapIndex(outlines) } * 1e3
    pairs = built.pairs.count
    let moves = 20_000
    // The moves are small, as in a drag.
    moveMicroseconds =
      medianSeconds(prepare: { OverlapFigures.copied(built, nudging: outlines[0]) }) { index in
        var generator = SplitMix(seed: 3)
        for _ in 0..<moves {
          let moved = outlines[Int.random(in: 0..<shapes, using: &generator)]
          var outline = moved.outline
          outline.position.x += Double.random(in: -20...20, using: &generator)
          outline.position.y += Double.random(in: -20...20, using: &generator)
          _ = index.update(moved.identifier, to: outline)
        }
      } / Double(moves) * 1e6
    guard shapes <= OverlapFigures.bruteForceShapesMax else {
      bruteForceMilliseconds = nil
      return
    }
    var found = 0
    bruteForceMilliseconds =
      medianSeconds(runs: 3) {
        found = 0
        for first in outlines.indices {
          for second in outlines.indices
          where second > first && outlines[first].outline.overlaps(outlines[second].outline) {
            found += 1
          }
        }
      } * 1e3
    precondition(found == pairs, "the index and brute force disagree")
  }

  /// A copy that shares no storage with the original. Otherwise the first measured move would include copying the
  /// storage.
  private static func copied(
    _ index: OverlapIndex,
    nudging shape: (identifier: Identifier, outline: Outline)
  ) -> OverlapIndex {
    var index = index
    var outline = shape.outline
    outline.position.x += 1
    _ = index.update(shape.identifier, to: outline)
    return index
  }

  var json: String {
    """
    {"shapes":\(shapes),"moveMicroseconds":\(moveMicroseconds),"buildMilliseconds":\(buildMilliseconds),\
    "pairs":\(pairs),"bruteForceMilliseconds":\(bruteForceMilliseconds.map { "\($0)" } ?? "null")}
    """
  }
}
