/// A text as lines that fit a width, for programs that can't measure letters.
///
/// Letters are assumed to be about as wide as in the common sans-serif fonts. In another font, lines may end a little
/// too early or extend a little beyond the width.
struct TextLines {
  private(set) var lines: [Text] = []
  /// The width of the widest line, as a multiple of the text's size.
  private(set) var widest = 0.0

  /// The margin between a text and its box (S9).
  static let padding = 8.0

  /// - Parameter width: the width inside the box, as a multiple of the text's size.
  init(_ text: Text, width: Double) {
    text.withBytes { bytes in
      var start = 0
      while start <= bytes.count {
        var end = start
        while end < bytes.count, bytes[end] != PropertyRules.lineFeed { end += 1 }
        wrap(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), width)
        start = end + 1
      }
    }
  }

  /// Breaks one line of the text between words. A word that is wider than a line is itself broken.
  private mutating func wrap(_ bytes: UnsafeRawBufferPointer, _ width: Double) {
    var start = 0
    var place = 0
    var taken = 0.0
    /// The index after the last space, and the width of the line up to there.
    var lastBreak: (place: Int, taken: Double)?
    while place < bytes.count {
      let (scalar, next) = UTF8Scalars.read(bytes, at: place)
      let more = TextLines.width(of: scalar)
      if taken + more > width, place > start, scalar != 0x20 {
        let end = lastBreak ?? (place, taken)
        append(bytes[start..<end.place])
        start = end.place
        widest = max(widest, end.taken)
        taken -= end.taken
        lastBreak = nil
      }
      taken += more
      place = next
      if scalar == 0x20 { lastBreak = (place, taken) }
    }
    widest = max(widest, taken)
    append(bytes[start...])
  }

  private mutating func append(_ slice: Slice<UnsafeRawBufferPointer>) {
    var line = UnsafeRawBufferPointer(rebasing: slice)
    while line.last == 0x20 { line = UnsafeRawBufferPointer(rebasing: line.dropLast()) }
    lines.append(Text(uncheckedUTF8: line))
  }

  // MARK: - Letters

  /// The width of a character, as a multiple of the text's size.
  private static func width(of scalar: UInt32) -> Double {
    switch scalar {
    case 0x20, 0x21, 0x27...0x29, 0x2C, 0x2E, 0x2F, 0x3A, 0x3B, 0x49, 0x5B...0x5D, 0x66, 0x69, 0x6A, 0x6C, 0x72, 0x74,
      0x7C:
      0.29
    case 0x25, 0x40, 0x4D, 0x57, 0x6D, 0x77: 0.86
    case 0x41...0x5A: 0.69
    case 0x300...0x36F, 0x200B...0x200F, 0x202A...0x202E, 0x2060...0x2069, 0xFE00...0xFE0F: 0
    // East Asian scripts and pictograms.
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
      0x1F000...0x1FAFF, 0x20000...0x3FFFD:
      1
    default: 0.55
    }
  }
}
