import CanvasCRDT

/// Turns pixels into cells, four pixels to a cell: finds the two colours and the block character that come nearest to
/// the four pixels.
enum Blocks {
  /// Which quarters a character fills: top left 1, top right 2, bottom left 4, bottom right 8.
  private static let splits: [(mask: Int, glyph: Glyph)] = [
    (0b0011, Glyph("▀")), (0b0101, Glyph("▌")), (0b0001, Glyph("▘")), (0b0010, Glyph("▝")), (0b0100, Glyph("▖")),
    (0b1000, Glyph("▗")), (0b1001, Glyph("▚")),
  ]

  /// A difference below this is invisible and not worth a second colour.
  private static let sameSquared: Float = 60

  /// Yellow dots on red: the closest to orange with sixteen colours.
  private static let dottedOrange = Cell(Glyph("▒"), .index(11), on: .index(9))

  /// With so few colours, a colour that differs from the paper by more than this must not be shown in the paper's
  /// colour, or it would be invisible: for example a thin line on black paper.
  private static let seenSquared: Float = 1_000

  /// - Parameter paper: the colour of the empty canvas.
  static func cell(_ quarters: [4 of SIMD4<Float>], _ depth: ColorDepth, paper: Color) -> Cell {
    var sum = SIMD4<Float>(repeating: 0)
    for index in 0..<4 { sum += quarters[index] }
    let mean = sum / 4
    if depth == .sixteen, mean.w > 0.25 { return dottedOrange }
    var spread: Float = 0
    for index in 0..<4 { spread = max(spread, squared(quarters[index] - mean)) }
    let ground = SIMD4<Float>(paper)
    func ink(_ value: SIMD4<Float>) -> Ink {
      guard depth == .sixteen, squared(value - ground) > seenSquared else { return depth.ink(Color(value)) }
      return .index(Palette.nearestOfSixteen(Color(value), but: Palette.nearestOfSixteen(paper)))
    }
    if spread <= sameSquared { return Cell(.space, .standard, on: ink(mean)) }

    // The best split into two groups reduces the error most: by the squared distance of the groups' means, weighted by
    // the groups' sizes.
    var best = 0
    var bestGain: Float = -1
    var bestInside = mean
    var bestOutside = mean
    for (offset, split) in splits.enumerated() {
      var inside = SIMD4<Float>(repeating: 0)
      for index in 0..<4 where split.mask & 1 << index != 0 { inside += quarters[index] }
      let count = Float(split.mask.nonzeroBitCount)
      let insideMean = inside / count
      let outsideMean = (sum - inside) / (4 - count)
      let gain = squared(insideMean - outsideMean) * count * (4 - count)
      // Of equally good splits the straight one is kept, which looks calmer.
      if gain > bestGain * 1.001 {
        best = offset
        bestGain = gain
        bestInside = insideMean
        bestOutside = outsideMean
      }
    }
    let foreground = ink(bestInside)
    let background = ink(bestOutside)
    if foreground == background { return Cell(.space, .standard, on: background) }
    return Cell(splits[best].glyph, foreground, on: background)
  }

  private static func squared(_ value: SIMD4<Float>) -> Float {
    value.x * value.x + value.y * value.y + value.z * value.z
  }
}

/// Cells for terminals without colours: the terminal's own shades, with common areas hatched.
enum Shades {
  private static let ramp: [Glyph] = [.space, Glyph("░"), Glyph("▒"), Glyph("▓"), Glyph("█")]
  private static let hatch = Glyph("╳")

  /// `paper` is the colour of the empty canvas. The more a colour differs from it, the denser the shade.
  static func cell(_ quarters: [4 of SIMD4<Float>], paper: Color) -> Cell {
    var mark: Float = 0
    var level: Float = 0
    for index in 0..<4 {
      mark += quarters[index].w / 4
      level += density(quarters[index], paper) / 4
    }
    if mark > 0.2 { return Cell(hatch, .standard, on: .standard, .bold) }
    return Cell(ramp[min(4, Int(level * 4 + 0.6))], .standard, on: .standard)
  }

  private static func density(_ value: SIMD4<Float>, _ paper: Color) -> Float {
    let difference = value - SIMD4(paper)
    let distance = max(difference.x.magnitude, difference.y.magnitude, difference.z.magnitude)
    // Shapes stay visible even if their colour is nearly the paper's.
    return distance < 4 ? 0 : 0.2 + distance / 320
  }
}
