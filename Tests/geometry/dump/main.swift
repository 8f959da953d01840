import CanvasCRDT
import Foundation

// Computes the geometry of pairs of outlines, which Tests/geometry/oracle.py checks. An input line is two outlines
// (kind, x, y, width, height, rotation, corner radius, points, inner ratio) and a point. An output line is CanvasCRDT's
// result as JSON.

func number(_ text: Substring) -> Double {
  guard let value = Double(text) else { fatalError("not a number: \(text)") }
  return value
}

func outline(_ fields: ArraySlice<Substring>) -> Outline {
  let values = fields.map(number)
  guard let kind = ShapeKind(rawValue: UInt8(values[0])) else { fatalError("no such kind: \(values[0])") }
  return Outline(
    kind: kind,
    position: Point(x: values[1], y: values[2]),
    size: Size(width: values[3], height: values[4]),
    rotation: values[5],
    cornerRadius: values[6],
    points: Int(values[7]),
    innerRatio: values[8]
  )
}

func text(of points: [Point]) -> String {
  "[" + points.map { "[\($0.x),\($0.y)]" }.joined(separator: ",") + "]"
}

while let line = readLine() {
  let fields = line.split(separator: " ")
  let first = outline(fields[0..<9])
  let second = outline(fields[9..<18])
  let point = Point(x: number(fields[18]), y: number(fields[19]))
  let bounds = first.bounds
  let common = first.commonRegion(with: second).map { "[\($0.map(text).joined(separator: ","))]" } ?? "null"
  print(
    """
    {"overlaps":\(first.overlaps(second)),"swapped":\(second.overlaps(first)),\
    "bounds":[\(bounds.minX),\(bounds.minY),\(bounds.maxX),\(bounds.maxY)],"area":\(first.area),\
    "contains":\(first.contains(point)),"common":\(common)}
    """
  )
}
