/// Writes SVG elements and attributes: numbers in their shortest form, texts escaped.
struct SVGWriter {
  private(set) var output: ByteWriter
  /// How many more dashes this picture may have.
  var dashes = DashBudget(pixel: 0)
  /// How many more lines of text, and parts of lines with another look, this picture may have.
  var textLinesLeft = 0

  init(capacity: Int) {
    output = ByteWriter(capacity: capacity)
  }

  consuming func finish() -> [UInt8] { output.finish() }

  /// Writes markup unchanged.
  mutating func raw(_ markup: StaticString) { output.append(markup) }

  // MARK: - Attributes

  mutating func attribute(_ name: StaticString, _ value: Double) {
    beginAttribute(name)
    output.appendNumber(value)
    endAttribute()
  }

  mutating func attribute(_ name: StaticString, _ value: Color) {
    beginAttribute(name)
    output.append(upTo: Color.textLength) { room in
      value.write(to: room)
      return Color.textLength
    }
    endAttribute()
  }

  /// Writes an attribute whose value is a list of numbers: `viewBox="0 0 800 600"`.
  mutating func attribute(_ name: StaticString, _ values: Double...) {
    beginAttribute(name)
    for (index, value) in values.enumerated() {
      if index > 0 { output.append(UInt8(ascii: " ")) }
      output.appendNumber(value)
    }
    endAttribute()
  }

  /// Writes an attribute whose value is a list of points: `points="1,2 3,4"`.
  mutating func attribute(_ name: StaticString, _ points: [Point]) {
    beginAttribute(name)
    for (index, point) in points.enumerated() {
      if index > 0 { output.append(UInt8(ascii: " ")) }
      output.appendNumber(point.x)
      output.append(UInt8(ascii: ","))
      output.appendNumber(point.y)
    }
    endAttribute()
  }

  /// Writes the pieces of a path: `d="M1,2Q3,4 5,6L7,8"`. A piece that begins where the previous piece ends needs no
  /// `M`.
  mutating func path(_ pieces: ArraySlice<DrawnLine.Piece>) {
    beginAttribute("d")
    var end: Point?
    for piece in pieces {
      if piece.from != end {
        raw("M")
        point(piece.from)
      }
      if let control = piece.control {
        raw("Q")
        point(control)
        raw(" ")
      } else {
        raw("L")
      }
      point(piece.to)
      end = piece.to
    }
    endAttribute()
  }

  /// Writes a point, rounded to a thousandth. Unrounded coordinates would have many digits, because the points of a
  /// path are stored as fractions of the path's box.
  private mutating func point(_ point: Point) {
    output.appendNumber((point.x * 1_000).rounded() / 1_000)
    raw(",")
    output.appendNumber((point.y * 1_000).rounded() / 1_000)
  }

  mutating func rotation(_ degrees: Double, around center: Point) {
    raw(" transform=\"rotate(")
    output.appendNumber(degrees)
    raw(" ")
    output.appendNumber(center.x)
    raw(" ")
    output.appendNumber(center.y)
    raw(")\"")
  }

  private mutating func beginAttribute(_ name: StaticString) {
    raw(" ")
    output.append(name)
    raw("=\"")
  }

  private mutating func endAttribute() { raw("\"") }

  // MARK: - Texts

  mutating func title(_ text: Text) {
    raw("<title>")
    text.withBytes { escaped($0) }
    raw("</title>")
  }

  /// Writes a line of a drawn text: `one <tspan font-weight="bold">two</tspan>`.
  mutating func characters(_ line: Text) {
    line.withBytes { bytes in
      var look = DrawnText.plain
      var start = 0
      for index in 0...bytes.count {
        guard index == bytes.count || DrawnText.isSign(bytes[index]) else { continue }
        if start < index { run(UnsafeRawBufferPointer(rebasing: bytes[start..<index]), look) }
        if index < bytes.count, bytes[index] != DrawnText.item { look = bytes[index] }
        start = index + 1
      }
    }
  }

  private mutating func run(_ bytes: UnsafeRawBufferPointer, _ look: UInt8) {
    guard look != DrawnText.plain, textLinesLeft > 0 else { return escaped(bytes) }
    textLinesLeft -= 1
    raw("<tspan")
    if DrawnText.isBold(look) { raw(" font-weight=\"bold\"") }
    if DrawnText.isLink(look) { raw(" text-decoration=\"underline\"") }
    raw(">")
    escaped(bytes)
    raw("</tspan>")
  }

  /// Writes a text: escapes markup, and replaces the characters that XML forbids.
  private mutating func escaped(_ bytes: UnsafeRawBufferPointer) {
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      switch byte {
      case UInt8(ascii: "&"): raw("&amp;")
      case UInt8(ascii: "<"): raw("&lt;")
      case UInt8(ascii: ">"): raw("&gt;")
      case 0x09, 0x0A: output.append(byte)
      case ..<0x20: output.append(SVGWriter.replacement)
      case 0xEF where SVGWriter.isNoncharacter(bytes, behind: index):
        output.append(SVGWriter.replacement)
        index += 2
      default: output.append(byte)
      }
    }
  }

  private static let replacement: StaticString = "\u{FFFD}"

  /// Whether the bytes are U+FFFE or U+FFFF: EF BF BE or EF BF BF in UTF-8.
  private static func isNoncharacter(_ bytes: UnsafeRawBufferPointer, behind index: Int) -> Bool {
    index + 1 < bytes.count && bytes[index] == 0xBF && bytes[index + 1] >= 0xBE
  }
}
