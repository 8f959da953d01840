/// The text of a cell: a character, and up to five that are added to it, such as combining marks.
public struct Glyph: Hashable, Sendable {
  /// Up to six characters, each in 21 bits. The first is in the lowest.
  private var packed: UInt128

  private static let bits = 21

  public static let space = Glyph(" ")

  /// The right half of a character that is two columns wide.
  public static let continuation = Glyph("\0")

  public init(_ scalar: Unicode.Scalar) { packed = UInt128(scalar.value) }

  /// Adds a character to the one that is there, if there is space for it.
  mutating func append(_ scalar: Unicode.Scalar) {
    var shift = Glyph.bits
    while packed >> shift != 0 { shift += Glyph.bits }
    if shift < 6 * Glyph.bits { packed |= UInt128(scalar.value) << shift }
  }

  /// The character without what is added to it. `nil` if this is the right half of another.
  var first: Unicode.Scalar? {
    packed == 0 ? nil : Unicode.Scalar(UInt32(packed & (1 << Glyph.bits - 1)))
  }

  var isASCII: Bool { 1..<0x80 ~= packed }

  func write(to output: inout [UInt8]) {
    var rest = packed
    while rest != 0 {
      if let scalar = Unicode.Scalar(UInt32(rest & (1 << Glyph.bits - 1))) {
        output.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      }
      rest >>= Glyph.bits
    }
  }

  public var text: String {
    var output: [UInt8] = []
    write(to: &output)
    return String(decoding: output, as: UTF8.self)
  }
}

/// A colour in one of the forms that terminals accept.
public struct Ink: Hashable, Sendable {
  /// The terminal's default colour, an index into its palette, or red, green and blue. The highest byte says which of
  /// these.
  let packed: UInt32

  public static let standard = Ink(packed: 0)

  static func index(_ index: UInt8) -> Ink { Ink(packed: 1 << 24 | UInt32(index)) }
  static func exact(_ rgb: UInt32) -> Ink { Ink(packed: 2 << 24 | rgb & 0xFF_FFFF) }

  /// The code between `ESC [` and `m` that selects this colour for letters.
  public var foregroundCode: String { code(base: 30) }
  var backgroundCode: String { code(base: 40) }

  private func code(base: Int) -> String {
    let value = Int(packed & 0xFF_FFFF)
    switch packed >> 24 {
    case 0: return "\(base + 9)"
    case 1 where value < 8: return "\(base + value)"
    case 1 where value < 16: return "\(base + 52 + value)"
    case 1: return "\(base + 8);5;\(value)"
    default: return "\(base + 8);2;\(value >> 16);\(value >> 8 & 255);\(value & 255)"
    }
  }
}

public struct Cell: Hashable, Sendable {
  public var glyph = Glyph.space
  public var foreground = Ink.standard
  public var background = Ink.standard
  public var style: Style = []

  public init() {}

  public init(_ glyph: Glyph, _ foreground: Ink, on background: Ink, _ style: Style = []) {
    self.glyph = glyph
    self.foreground = foreground
    self.background = background
    self.style = style
  }

  public struct Style: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let bold = Style(rawValue: 1)
    public static let dim = Style(rawValue: 2)
    public static let underlined = Style(rawValue: 4)
    public static let reversed = Style(rawValue: 8)
  }
}
