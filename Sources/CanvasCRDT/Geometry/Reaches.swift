/// How far the strokes and captions of shapes extend beyond their outlines, to find the shapes that are seen in a box.
///
/// Few shapes reach far, such as a line whose long caption has huge letters. They are looked at one by one. Otherwise a
/// single one would make every search find nearly all shapes.
public struct Reaches: Sendable {
  /// An upper bound for all shapes that aren't in `far`.
  private var near = 0.0
  private var far = IdentifierMap<Double>()

  /// A shape that reaches further than this is in `far`.
  private static let nearMax = 1_000.0

  public init() {}

  /// - Parameter reach: how far the shape's stroke and caption reach. `nil` if the shape doesn't exist any more.
  public mutating func note(_ shape: Identifier, _ reach: Double?) {
    if let reach, reach <= Reaches.nearMax { near = max(near, reach) }
    far[shape] = reach.flatMap { $0 > Reaches.nearMax ? $0 : nil }
  }

  /// The shapes that might be seen in a box.
  public func shapes(in box: Rect, of overlaps: OverlapIndex) -> [Identifier] {
    let found = overlaps.shapes(in: box.widened(by: near))
    let others = far.keys.indices.filter { place in
      overlaps.outline(of: far.keys[place])?.bounds.widened(by: far.values[place]).touches(box) == true
    }
    guard !others.isEmpty else { return found }
    let known = IdentifierSet(found)
    return found + others.map { far.keys[$0] }.filter { !known.contains($0) }
  }
}

extension Rect {
  public func widened(by margin: Double) -> Rect {
    Rect(
      origin: Point(x: minX - margin, y: minY - margin),
      size: Size(width: size.width + 2 * margin, height: size.height + 2 * margin)
    )
  }

  fileprivate func touches(_ other: Rect) -> Bool {
    minX <= other.maxX && other.minX <= maxX && minY <= other.maxY && other.minY <= maxY
  }
}
