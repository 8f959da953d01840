import CanvasCRDT

/// Boxes in a query: `?box=x,y,width,height`.
enum BoxParameter {
  static func numbers(_ text: String, count: Int) -> [Double]? {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == count else { return nil }
    var numbers: [Double] = []
    for part in parts {
      // `Double` would also read `nan` and `0x1p4`, but only decimals are allowed here.
      guard part.utf8.allSatisfy({ (0x30...0x39).contains($0) || ".-+eE".utf8.contains($0) }),
        let number = Double(part),
        number.isFinite
      else { return nil }
      numbers.append(number)
    }
    return numbers
  }

  /// Cuts a box to the area where shapes can be. Numbers outside of that area are so large that rounding would hide
  /// whether shapes touch or overlap.
  /// - Returns: `nil` if nothing of the box is left.
  static func cut(_ numbers: [Double]) -> Rect? {
    guard numbers[2] > 0, numbers[3] > 0 else { return nil }
    let across = cut(numbers[0], numbers[2])
    let down = cut(numbers[1], numbers[3])
    return Rect(
      origin: Point(x: across.start, y: down.start),
      size: Size(width: across.length, height: down.length)
    )
  }

  private static func cut(_ start: Double, _ length: Double) -> (start: Double, length: Double) {
    let end = start + length
    guard start < -shapesReach || end > shapesReach else { return (start, length) }
    let first = min(max(start, -shapesReach), shapesReach)
    return (first, min(max(end, -shapesReach), shapesReach) - first)
  }

  /// The upper bound on how far from the origin a shape can reach. A position is at most 10⁷ away, and a turned shape
  /// of size 10⁶ reaches less than another 10⁷ beyond its position.
  private static let shapesReach = 2e7

  /// The box, if its numbers are allowed as a shape's position and size.
  static func box(_ numbers: [Double]) -> Rect? {
    let place = -1e7...1e7
    let extent = 1.0...1e6
    guard place.contains(numbers[0]), place.contains(numbers[1]), extent.contains(numbers[2]),
      extent.contains(numbers[3])
    else { return nil }
    return Rect(origin: Point(x: numbers[0], y: numbers[1]), size: Size(width: numbers[2], height: numbers[3]))
  }
}
