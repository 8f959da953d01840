/// How many columns a character takes in a terminal: none, one or two.
///
/// Wide characters are those that East Asian fonts draw twice as wide: `W` and `F` in Unicode's annex 11, version 14,
/// and unassigned characters between them. Terminals agree on the widths of single characters, but not on sequences
/// that fonts join, such as families of emoji. So only the first character of such a sequence is shown.
enum CharacterWidth {
  static func columns(of scalar: Unicode.Scalar) -> Int {
    let value = scalar.value
    if value < 0x300 { return value >= 0x20 && value < 0x7F || value >= 0xA0 && value != 0xAD ? 1 : 0 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control, .surrogate, .lineSeparator, .paragraphSeparator: return 0
    default: return isInsideSyllable(value) ? 0 : isWide(value) ? 2 : 1
    }
  }

  /// Whether the character is drawn in the cell of the one before it: a mark, or a part of a Korean syllable. Joiners
  /// and variation selectors are left out.
  static func isAdded(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: !scalar.properties.isVariationSelector
    default: isInsideSyllable(scalar.value)
    }
  }

  /// Whether the character is a vowel or an ending of a Korean syllable that is written letter by letter.
  private static func isInsideSyllable(_ value: UInt32) -> Bool {
    0x1160...0x11FF ~= value || 0xD7B0...0xD7FF ~= value
  }

  /// Whether the character takes two cells.
  static func isWide(_ glyph: Glyph) -> Bool {
    glyph.first.map { columns(of: $0) == 2 } ?? false
  }

  private static func isWide(_ value: UInt32) -> Bool {
    guard value >= ranges[0].lowerBound else { return false }
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = low + (high - low) / 2
      if ranges[middle].upperBound < value { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count && ranges[low].contains(value)
  }

  private static let ranges: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x23E9...0x23EC, 0x23F0...0x23F0, 0x23F3...0x23F3,
    0x25FD...0x25FE, 0x2614...0x2615, 0x2648...0x2653, 0x267F...0x267F, 0x2693...0x2693, 0x26A1...0x26A1,
    0x26AA...0x26AB, 0x26BD...0x26BE, 0x26C4...0x26C5, 0x26CE...0x26CE, 0x26D4...0x26D4, 0x26EA...0x26EA,
    0x26F2...0x26F3, 0x26F5...0x26F5, 0x26FA...0x26FA, 0x26FD...0x26FD, 0x2705...0x2705, 0x270A...0x270B,
    0x2728...0x2728, 0x274C...0x274C, 0x274E...0x274E, 0x2753...0x2755, 0x2757...0x2757, 0x2795...0x2797,
    0x27B0...0x27B0, 0x27BF...0x27BF, 0x2B1B...0x2B1C, 0x2B50...0x2B50, 0x2B55...0x2B55, 0x2E80...0x303E,
    0x3041...0x3247, 0x3250...0x4DBF, 0x4E00...0xA4C6, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAD9,
    0xFE10...0xFE19, 0xFE30...0xFE6B, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x1B2FB, 0x1F004...0x1F004,
    0x1F0CF...0x1F0CF, 0x1F18E...0x1F18E, 0x1F191...0x1F19A, 0x1F200...0x1F320, 0x1F32D...0x1F335,
    0x1F337...0x1F37C, 0x1F37E...0x1F393, 0x1F3A0...0x1F3CA, 0x1F3CF...0x1F3D3, 0x1F3E0...0x1F3F0,
    0x1F3F4...0x1F3F4, 0x1F3F8...0x1F43E, 0x1F440...0x1F440, 0x1F442...0x1F4FC, 0x1F4FF...0x1F53D,
    0x1F54B...0x1F54E, 0x1F550...0x1F567, 0x1F57A...0x1F57A, 0x1F595...0x1F596, 0x1F5A4...0x1F5A4,
    0x1F5FB...0x1F64F, 0x1F680...0x1F6C5, 0x1F6CC...0x1F6CC, 0x1F6D0...0x1F6D2, 0x1F6D5...0x1F6DF,
    0x1F6EB...0x1F6EC, 0x1F6F4...0x1F6FC, 0x1F7E0...0x1F7F0, 0x1F90C...0x1F93A, 0x1F93C...0x1F945,
    0x1F947...0x1F9FF, 0x1FA70...0x1FAF8, 0x20000...0x3FFFD,
  ]
}

extension String {
  /// How many columns the text takes on a screen.
  public var columns: Int { unicodeScalars.reduce(0) { $0 + CharacterWidth.columns(of: $1) } }

  /// The text, truncated with `…` if it is wider than this many columns.
  public func fitting(_ columns: Int) -> String {
    guard self.columns > columns else { return self }
    guard columns > 0 else { return "" }
    var fitted = ""
    var used = 0
    for scalar in unicodeScalars {
      let width = CharacterWidth.columns(of: scalar)
      if used + width > columns - 1 { break }
      fitted.unicodeScalars.append(scalar)
      used += width
    }
    return fitted + "…"
  }

  /// The text, at most this many columns wide. If it is wider, `…` replaces its middle. The end is kept because names
  /// often differ only there: Rounded rectangle 7, Rounded rectangle 8.
  public func fittingWithEnd(_ columns: Int) -> String {
    guard self.columns > columns, columns > 2 else { return fitting(columns) }
    var end = ""
    var used = 0
    for character in reversed() {
      let width = String(character).columns
      if used + width > (columns - 1) / 2 { break }
      end = String(character) + end
      used += width
    }
    return fitting(columns - used) + end
  }

  /// The text, truncated with `…` or padded with spaces to exactly this many columns.
  public func padded(to columns: Int) -> String {
    let fitted = fitting(columns)
    return fitted + String(repeating: " ", count: max(0, columns - fitted.columns))
  }
}
