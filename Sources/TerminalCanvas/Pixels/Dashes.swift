import CanvasCRDT

/// A dashed or dotted line (S11), as polygons with the same direction as those of `Stroke`. Dashes are boxes with
/// square ends, and dots are discs.
///
/// A long line can have millions of dashes, so only the visible ones are made.
struct Dashes {
  private let isDotted: Bool
  private let width: Double
  /// The distance from the beginning of one dash to the beginning of the next.
  private let step: Double
  /// The length of a dash along the line.
  private let length: Double
  /// The visible box, extended by the line's width on each side. Dashes outside of it are invisible.
  private let box: Rect

  init(_ dash: Dash, width: Double, within box: Rect) {
    isDotted = dash == .dotted
    self.width = width
    step = dash.step(width: width)
    length = dash.partLength(width: width)
    self.box = Rect(
      origin: Point(x: box.minX - width, y: box.minY - width),
      size: Size(width: box.size.width + 2 * width, height: box.size.height + 2 * width)
    )
  }

  func seenLength(along points: [Point]) -> Double {
    zip(points, points.dropFirst()).reduce(0) { sum, ends in
      guard let edge = Stroke.Edge(from: ends.0, to: ends.1), let seen = seen(of: edge) else { return sum }
      return sum + seen.upperBound - seen.lowerBound
    }
  }

  /// The visible dashes. The line's first dash begins at its first point.
  func polygons(along points: [Point]) -> [[Point]] {
    var polygons: [[Point]] = []
    var passed = 0.0
    var before: Stroke.Edge?
    for (from, to) in zip(points, points.dropFirst()) {
      guard let edge = Stroke.Edge(from: from, to: to) else { continue }
      if let before, passed.truncatingRemainder(dividingBy: step) < length, box.contains(from) {
        // The dash continues around the corner.
        Stroke.addCorner(at: from, before.normal, edge.normal, width / 2, to: &polygons)
      }
      add(edge, passed, to: &polygons)
      passed += edge.length
      before = edge
    }
    return polygons
  }

  private func add(_ edge: Stroke.Edge, _ passed: Double, to polygons: inout [[Point]]) {
    guard let seen = seen(of: edge) else { return }
    var index = ((passed + seen.lowerBound - length) / step).rounded(.up)
    while true {
      let start = index * step - passed
      guard start < seen.upperBound else { return }
      if isDotted {
        polygons.append(Stroke.disc(around: edge.point(after: start), radius: width / 2))
      } else {
        let (from, to) = (max(start, 0), min(start + length, edge.length))
        if let part = Stroke.Edge(from: edge.point(after: from), to: edge.point(after: to)), from < to {
          polygons.append(part.box(width / 2))
        }
      }
      index += 1
    }
  }

  /// The visible range of the edge, as distances along it.
  private func seen(of edge: Stroke.Edge) -> Range<Double>? {
    var (lower, upper) = (0.0, 1.0)
    for (from, to, least, most) in [
      (edge.from.x, edge.to.x, box.minX, box.maxX), (edge.from.y, edge.to.y, box.minY, box.maxY),
    ] {
      if from == to {
        guard least <= from, from <= most else { return nil }
        continue
      }
      let (first, second) = ((least - from) / (to - from), (most - from) / (to - from))
      lower = max(lower, min(first, second))
      upper = min(upper, max(first, second))
    }
    return lower < upper ? lower * edge.length..<upper * edge.length : nil
  }
}
