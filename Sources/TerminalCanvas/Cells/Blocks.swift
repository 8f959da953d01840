import CanvasCRDT

/// Makes cells from pixels, four pixels for each cell. A cell gets the block character and the two colours that come
/// nearest to the four pixels.
enum Blocks {
  /// Block characters, and the quarters of the cell that each fills: top left 1, top right 2, bottom left 4, bottom
  /// right 8.
  private static let splits: [(mask: Int, glyph: Glyph)] = [
    (0b0011, Glyph("▀")), (0b0101, Glyph("▌")), (0b0001, Glyph("▘")), (0b0010, Glyph("▝")), (0b0100, Glyph("▖")),
    (0b1000, Glyph("▗")), (0b1001, Glyph("▚")),
  ]

  /// The greatest squared difference of two colours that look the same. A cell with such colours needs only one of
  /// them.
  private static let sameSquared: Float = 60

  /// Yellow dots on red, the best approximation of orange with sixteen colours.
  private static let dottedOrange = Cell(Glyph("▒"), .index(11), on: .index(9))

  /// A colour is visible if its squared difference from the paper is greater than this. On a terminal with sixteen
  /// colours, a visible colour must not become the paper's colour, even if the paper's colour is the nearest. Otherwise
  /// a thin line on black paper, for example, could disappear.
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

    // Splits the quarters into two groups, one for each colour of the cell, so that the error is reduced most. The
    // reduction is the squared distance between the groups' means, weighted by the groups' sizes.
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
      // If two splits are equally good, the earlier one in the list wins, because the earlier ones are straight and
      // look calmer.
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

/// Cells for terminals without colours: characters of different density. Common areas are hatched.
enum Shades {
  private static let ramp: [Glyph] = [.space, Glyph("░"), Glyph("▒"), Glyph("▓"), Glyph("█")]
  private static let hatch = Glyph("╳")

  /// The cell for four pixels. The more they differ from `paper`, the colour of the empty canvas, the denser its
  /// character.
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
    // The density has a lower bound, so that a shape that is nearly the paper's colour stays visible.
    return distance < 4 ? 0 : 0.2 + distance / 320
  }
}
