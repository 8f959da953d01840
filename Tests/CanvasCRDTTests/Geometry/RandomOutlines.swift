@testable import CanvasCRDT

/// Random outlines of every kind, size and rotation. Some look like what people draw.
struct RandomOutlines {
  /// Each coordinate of a centre is between `-reach` and `reach`.
  var reach = 500.0
  /// The longer side of an outline is ten to the power of a random number in this range.
  var magnitudes = 0.0...3.0
  /// One in this many outlines has no rotation and has coordinates that are multiples of ten, so that some outlines
  /// touch or coincide.
  var alignedEvery = 3

  func next(using generator: inout some RandomNumberGenerator) -> Outline {
    let kind = ShapeKind.outlines[Int.random(in: 0..<ShapeKind.outlines.count, using: &generator)]
    if Int.random(in: 0..<alignedEvery, using: &generator) == 0 {
      return Outline(
        kind: kind,
        position: Point(x: tens(-reach...reach, &generator), y: tens(-reach...reach, &generator)),
        size: Size(width: tens(10...100, &generator), height: tens(10...100, &generator)),
        rotation: Double(Int.random(in: -4...4, using: &generator)) * 90,
        cornerRadius: tens(0...50, &generator),
        points: Int.random(in: 3...8, using: &generator)
      )
    }
    let longer = power(Double.random(in: magnitudes, using: &generator))
    let shorter = Swift.max(1, longer * Double.random(in: 0.01...1, using: &generator))
    let isWide = Bool.random(using: &generator)
    let size = Size(width: isWide ? longer : shorter, height: isWide ? shorter : longer)
    return Outline(
      kind: kind,
      position: Point(
        x: Double.random(in: -reach...reach, using: &generator) - size.width / 2,
        y: Double.random(in: -reach...reach, using: &generator) - size.height / 2
      ),
      size: size,
      rotation: Double.random(in: -720...720, using: &generator),
      cornerRadius: Double.random(in: 0...100, using: &generator),
      points: Int.random(in: 3...12, using: &generator),
      innerRatio: Double.random(in: 0.05...1, using: &generator)
    )
  }

  private func tens(_ range: ClosedRange<Double>, _ generator: inout some RandomNumberGenerator) -> Double {
    (Double.random(in: range, using: &generator) / 10).rounded() * 10
  }

  /// Ten to the power of `exponent`, approximately.
  private func power(_ exponent: Double) -> Double {
    var value = 1.0
    var rest = exponent
    while rest >= 1 {
      value *= 10
      rest -= 1
    }
    return value * (1 + 9 * rest * rest)
  }
}
