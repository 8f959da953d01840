/// The text of a cell, in up to eight bytes of UTF-8: a character, and as many combining marks as fit.
public struct Glyph: Hashable, Sendable {
  private var bytes: UInt64

  public static let space = Glyph(" ")

  /// The right half of a character that is two columns wide.
  public static let continuation = Glyph(bytes: 0)

  private init(bytes: UInt64) { self.bytes = bytes }

  public init(_ scalar: Unicode.Scalar) {
    bytes = 0
    append(scalar)
  }

  /// Adds a combining mark if there is space for it.
  mutating func append(_ scalar: Unicode.Scalar) {
    let encoded = UTF8.encode(scalar)!
    guard encoded.count + count <= 8 else { return }
    var shift = UInt64(count * 8)
    for byte in encoded {
      bytes |= UInt64(byte) << shift
      shift += 8
    }
  }

  var count: Int { (64 - bytes.leadingZeroBitCount + 7) / 8 }

  func write(to output: inout [UInt8]) {
    var rest = bytes
    while rest != 0 {
      output.append(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
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
