import CanvasCRDT

/// Turns pixels into cells, four pixels to a cell. For each cell, it finds the block character and the two colours that
/// come nearest to the four pixels.
enum Blocks {
  /// Block characters, each with the quarters of the cell that it fills: top left 1, top right 2, bottom left 4, bottom
  /// right 8.
  private static let splits: [(mask: Int, glyph: Glyph)] = [
    (0b0011, Glyph("▀")), (0b0101, Glyph("▌")), (0b0001, Glyph("▘")), (0b0010, Glyph("▝")), (0b0100, Glyph("▖")),
    (0b1000, Glyph("▗")), (0b1001, Glyph("▚")),
  ]

  /// The greatest squared difference between two colours that is invisible. So little difference is not worth a second
  /// colour.
  private static let sameSquared: Float = 60

  /// Yellow dots on red, which come nearest to orange among sixteen colours.
  private static let dottedOrange = Cell(Glyph("▒"), .index(11), on: .index(9))

  /// The squared difference from the paper beyond which a colour is visible. Such a colour must not be shown in the
  /// paper's colour, even if that is the nearest of sixteen. Otherwise a thin line on black paper, for example, could
  /// be invisible.
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

    // The quarters are split into two groups, so that the error is reduced most. The reduction is the squared distance
    // between the groups' means, weighted by the groups' sizes.
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

/// Cells for terminals without colours: characters of different density in the terminal's own colours, and common areas
/// hatched.
enum Shades {
  private static let ramp: [Glyph] = [.space, Glyph("░"), Glyph("▒"), Glyph("▓"), Glyph("█")]
  private static let hatch = Glyph("╳")

  /// The cell for four pixels. The more their colour differs from `paper`, the colour of the empty canvas, the denser
  /// the character.
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
    // The density has a lower bound, so that a shape stays visible even if its colour is nearly that of the paper.
    return distance < 4 ? 0 : 0.2 + distance / 320
  }
}
