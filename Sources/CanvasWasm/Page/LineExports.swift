// How lines and ink are drawn. The page passes values instead of an identifier, because a shape that changes is drawn
// with values between its old and its new ones, and a deleted one while it fades.

/// A line or a stroke of ink as it is drawn, relative to the middle of its box and before rotation. The input has three
/// numbers for each point of the path, as in docs/PROTOCOL.md, with the width even where it is 100.
///
/// The answer is: how many pieces there are; the point at which the first one begins; for each piece its control point,
/// its end and its width; then six numbers for each arrowhead (its three corners) or dot (its middle, its radius, and
/// three times NaN). A straight piece has NaN as its control point.
@_cdecl("drawnLine")
func drawnLine(
  _ isInk: Bool,
  _ route: UInt32,
  _ fromEnd: UInt32,
  _ toEnd: UInt32,
  _ width: Double,
  _ height: Double,
  _ strokeWidth: Double,
  _ pointCount: UInt32
) -> Answer {
  var properties = Properties()
  properties.kind = isInk ? .ink : .line
  properties.position = Point(x: -width / 2, y: -height / 2)
  properties.size = Size(width: width, height: height)
  properties.strokeWidth = strokeWidth
  properties[.route] = UInt8(truncatingIfNeeded: route)
  properties[.fromEnd] = UInt8(truncatingIfNeeded: fromEnd)
  properties[.toEnd] = UInt8(truncatingIfNeeded: toEnd)
  let points = (0..<Int(pointCount)).map { index in
    Path.Point(
      BoxPlace(
        x: UInt16(clamping: Int(input.number(3 * index))),
        y: UInt16(clamping: Int(input.number(3 * index + 1)))
      ),
      width: UInt8(clamping: Int(input.number(3 * index + 2)))
    )
  }
  properties.path = Path(points) ?? .none
  output.clear()
  let shape = Shape(id: Identifier(unchecked: 0), properties: properties, nameStamp: .never)
  if let line = DrawnLine(shape) { write(line) }
  return Answer(output.count)
}

private func write(_ line: DrawnLine) {
  output.append(Double(line.pieces.count))
  output.append(line.pieces[0].from)
  for piece in line.pieces {
    output.append(piece.control ?? Point(x: .nan, y: .nan))
    output.append(piece.to)
    output.append(piece.width)
  }
  for head in line.heads {
    switch head {
    case .arrow(let tip, let left, let right):
      output.append(tip)
      output.append(left)
      output.append(right)
    case .dot(let center, let radius):
      output.append(center)
      output.append(radius)
      for _ in 0..<3 { output.append(Double.nan) }
    }
  }
}
