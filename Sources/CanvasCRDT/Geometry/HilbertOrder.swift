/// Sorts boxes so that neighbours in the list are mostly near each other: by their centres along a Hilbert curve.
enum HilbertOrder {
  /// The grid has 2²⁶ cells on each side, so that one stray shape far away doesn't put all other shapes into one cell.
  /// Even on a canvas 2·10⁷ units wide, a cell is smaller than the smallest shape.
  private static let bits: UInt64 = 26

  /// The indices of the boxes, in the order along the curve. Boxes in one cell are in the order of their indices.
  static func offsets(of boxes: [Box]) -> [Int] {
    var around = Box.empty
    for box in boxes { around.extend(to: center(of: box)) }
    let side = Swift.max(around.maxX - around.minX, around.maxY - around.minY)
    let last = Double((1 as UInt64) << bits - 1)
    let scale = side > 0 ? last / side : 0
    var keyed: [(key: UInt64, offset: Int)] = []
    keyed.reserveCapacity(boxes.count)
    for (offset, box) in boxes.enumerated() {
      let center = center(of: box)
      keyed.append(
        (place(cell(center.x - around.minX, scale, last), cell(center.y - around.minY, scale, last)), offset)
      )
    }
    keyed.sort { $0.key != $1.key ? $0.key < $1.key : $0.offset < $1.offset }
    return keyed.map { $0.offset }
  }

  private static func center(of box: Box) -> Point {
    Point(x: box.minX + (box.maxX - box.minX) / 2, y: box.minY + (box.maxY - box.minY) / 2)
  }

  /// The value is clamped because the distance may be NaN, which needs a cell too.
  private static func cell(_ distance: Double, _ scale: Double, _ last: Double) -> UInt64 {
    let scaled = distance * scale
    return scaled > 0 ? UInt64(Swift.min(scaled, last)) : 0
  }

  /// The position of a cell along the curve.
  private static func place(_ column: UInt64, _ row: UInt64) -> UInt64 {
    var x = column
    var y = row
    var place: UInt64 = 0
    let last = (1 as UInt64) << bits - 1
    var half = (1 as UInt64) << (bits - 1)
    while half > 0 {
      let right: UInt64 = x & half > 0 ? 1 : 0
      let lower: UInt64 = y & half > 0 ? 1 : 0
      place += half * half * ((3 * right) ^ lower)
      // Each quarter of the curve is a smaller copy of the curve. The copies in the first and last quarters are
      // mirrored.
      if lower == 0 {
        if right == 1 {
          x = last - x
          y = last - y
        }
        swap(&x, &y)
      }
      half /= 2
    }
    return place
  }
}
