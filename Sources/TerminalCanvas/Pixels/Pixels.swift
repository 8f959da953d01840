import CanvasCRDT

/// A grid of colours into which shapes are blended. As in a browser, the values of `#RRGGBB` are blended directly,
/// without gamma correction.
public struct Pixels: Equatable, Sendable {
  public let width: Int
  public let height: Int

  /// Red, green and blue, 0…255. The fourth number says how much of the pixel is the common area of two shapes, for
  /// terminals that have no orange.
  private(set) var values: [SIMD4<Float>]

  public init(width: Int, height: Int, filledWith color: Color) {
    self.width = max(width, 0)
    self.height = max(height, 0)
    values = Array(repeating: SIMD4(color), count: self.width * self.height)
  }

  public subscript(row: Int, column: Int) -> Color { Color(values[row * width + column]) }

  func value(_ row: Int, _ column: Int) -> SIMD4<Float> { values[row * width + column] }

  /// Copies pixels to other places. `rows` has the source row of each row of the result, and `columns` has the source
  /// columns. Where a source is `nil`, the result has `color`.
  func taken(rows: [Int?], columns: [Int?], otherwise color: Color) -> Pixels {
    var pixels = Pixels(width: columns.count, height: rows.count, filledWith: color)
    for (row, from) in rows.enumerated() {
      guard let from else { continue }
      for case (let column, let place?) in columns.enumerated() {
        pixels.values[row * columns.count + column] = value(from, place)
      }
    }
    return pixels
  }

  /// Blends a colour over a pixel. If the pixel is marked as part of the common area of overlapping shapes, the mark is
  /// weakened by the covered fraction.
  mutating func blend(_ row: Int, _ column: Int, _ color: SIMD4<Float>, part: Float) {
    let index = row * width + column
    values[index] += (color - values[index]) * part
  }
}

extension SIMD4 where Scalar == Float {
  init(_ color: Color, mark: Float = 0) {
    self.init(Float(color.red), Float(color.green), Float(color.blue), mark)
  }
}

extension Color {
  init(_ value: SIMD4<Float>) {
    let rounded = (value + 0.5).clamped(lowerBound: SIMD4(repeating: 0), upperBound: SIMD4(repeating: 255))
    self.init(red: UInt8(rounded.x), green: UInt8(rounded.y), blue: UInt8(rounded.z))
  }

  /// This colour with `other` blended over it.
  public func covered(by other: Color, part: Double) -> Color {
    let below = SIMD4<Float>(self)
    return Color(below + (SIMD4(other) - below) * Float(part))
  }

  /// The perceived brightness, 0…255.
  public var luminance: Int { (Int(red) * 299 + Int(green) * 587 + Int(blue) * 114) / 1000 }
}
