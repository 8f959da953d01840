/// A shape as JavaScript reads it: seventeen doubles, every property but the name, defaults filled in.
///
///      0      identifier
///      1…4    position and size
///      5      rotation
///      6…8    strokeWidth, cornerRadius, innerRatio
///      9      kind, by `ShapeKind`
///     10, 11  fill and stroke, 0xRRGGBB
///     12, 13  alpha, points
///     14      flags: 1 it is there, 2 visible, 4 it has a name of its own, 8 it departs; from 256 on what changed:
///             256 times the mask of a change
///     15      its place in the drawing order, from the back; −1 where it is gone
///     16      who changed it last, of a change: see `Writer`
///
/// A shape that departs is gone, and 1…4 are the box that it was said to go to, for the page to show it going there.
enum ShapeRow {
  static let live = 1
  static let visible = 2
  static let named = 4
  static let departing = 8
  static let changedShift = 8
}

extension OutputBuffer {
  mutating func append(_ shape: Shape, place: Int, change: UnseenChanges.ShapeChange? = nil) {
    let properties = shape.properties
    var flags = ShapeRow.live
    if properties.visible { flags |= ShapeRow.visible }
    if properties.assigned.contains(.name) { flags |= ShapeRow.named }
    flags |= Int(change?.mask ?? 0) << ShapeRow.changedShift
    append(shape.id)
    append(properties.position)
    append(properties.size.width)
    append(properties.size.height)
    append(properties.rotation)
    append(properties.strokeWidth)
    append(properties.cornerRadius)
    append(properties.innerRatio)
    append(Double(properties.kind.rawValue))
    append(Double(properties.fill.packed))
    append(Double(properties.stroke.packed))
    append(Double(properties.alpha))
    append(Double(properties.points))
    append(Double(flags))
    append(Double(place))
    append(change?.by ?? 0)
  }

  mutating func append(gone shape: Identifier, _ change: UnseenChanges.ShapeChange) {
    append(shape)
    let box = change.departure ?? Rect(origin: Point(x: 0, y: 0), size: Size(width: 0, height: 0))
    append(box.origin)
    append(box.size.width)
    append(box.size.height)
    for _ in 5..<14 { append(0.0) }
    append(
      Double((change.departure == nil ? 0 : ShapeRow.departing) | Int(change.mask) << ShapeRow.changedShift)
    )
    append(-1.0)
    append(change.by)
  }
}
