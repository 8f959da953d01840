/// A text as lines that fit a width, for programs that can't measure letters.
///
/// Letters are assumed to be about as wide as in the common sans-serif fonts. In another font, lines may end a little
/// too early or extend a little beyond the width.
struct TextLines {
  struct Line {
    /// With the signs of a drawn text. The line begins plain.
    var text: Text
    /// As a multiple of the text's size. For a line of a list, the width of the whole list.
    var width: Double
    /// How far a line of a list begins from the list's side, as a multiple of the text's size. `nil` for other lines.
    var indent: Double?
  }

  private(set) var lines: [Line] = []

  /// The width of the widest line, as a multiple of the text's size.
  var widest: Double { lines.reduce(0) { max($0, $1.width) } }

  /// The margin between a text and its box (S9).
  static let padding = 8.0

  /// - Parameter width: the width inside the box, as a multiple of the text's size.
  init(_ text: Text, width: Double) {
    text.drawn.withBytes { bytes in
      var start = 0
      while start <= bytes.count {
        var end = start
        while end < bytes.count, bytes[end] != PropertyRules.lineFeed { end += 1 }
        wrap(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), width)
        start = end + 1
      }
    }
    alignLists()
  }

  /// Gives all lines of a list the width of the widest one.
  private mutating func alignLists() {
    var start = 0
    while start < lines.count {
      var end = start
      var width = 0.0
      while end < lines.count, lines[end].indent != nil {
        width = max(width, lines[end].width)
        end += 1
      }
      for index in start..<end { lines[index].width = width }
      start = end + 1
    }
  }

  /// Breaks one line of the text between words. A word that is wider than a line is itself broken.
  private mutating func wrap(_ bytes: UnsafeRawBufferPointer, _ width: Double) {
    var line = LineStart()
    var place = 0
    var taken = 0.0
    var look = DrawnText.plain
    /// Whether the line has no letters yet, so that it can't end here.
    var isEmpty = true
    /// The width of an item's head.
    var head: Double?
    /// Where the next line begins if this one ends after its last space, and the width of this one up to there.
    var lastBreak: (next: LineStart, taken: Double)?
    while place < bytes.count {
      let (scalar, next) = UTF8Scalars.read(bytes, at: place)
      let more = TextLines.width(of: scalar) * (DrawnText.isBold(look) ? TextLines.boldWidth : 1)
      if DrawnText.isSign(bytes[place]) {
        if bytes[place] == DrawnText.item {
          // The line doesn't end between the head and the words.
          head = taken
          isEmpty = true
          lastBreak = nil
        } else {
          look = bytes[place]
        }
        place = next
        continue
      }
      if taken + more > width, !isEmpty, scalar != 0x20 {
        let end = lastBreak ?? (LineStart(place: place, look: look), taken)
        append(bytes[line.place..<end.next.place], line, width: end.taken, head)
        line = end.next
        line.indent = head ?? 0
        taken += line.indent - end.taken
        lastBreak = nil
      }
      taken += more
      place = next
      isEmpty = false
      if scalar == 0x20 { lastBreak = (LineStart(place: place, look: look), taken) }
    }
    append(bytes[line.place...], line, width: taken, head)
  }

  private struct LineStart {
    var place = 0
    var look = DrawnText.plain
    var indent = 0.0
  }

  private mutating func append(
    _ slice: Slice<UnsafeRawBufferPointer>,
    _ start: LineStart,
    width: Double,
    _ head: Double?
  ) {
    var line = UnsafeRawBufferPointer(rebasing: slice)
    while line.last == 0x20 { line = UnsafeRawBufferPointer(rebasing: line.dropLast()) }
    let text = Text(uncheckedUTF8: line)
    lines.append(
      Line(
        text: start.look == DrawnText.plain ? text : DrawnText.sign(start.look).appending(text),
        width: width,
        indent: head.map { _ in start.indent }
      )
    )
  }

  // MARK: - Letters

  /// The width of a bold letter, as a multiple of that of the plain one.
  private static let boldWidth = 1.06

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
