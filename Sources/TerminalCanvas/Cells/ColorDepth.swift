import CanvasCRDT

public enum ColorDepth: Int, CaseIterable, Sendable {
  case none
  case sixteen
  case indexed
  case exact

  /// Reads the environment. `NO_COLOR` asks for no colours, and `COLORTERM` announces exact colours. Otherwise `TERM`
  /// says how many colours there are.
  public init(environment: [String: String]) {
    let term = environment["TERM"] ?? ""
    if environment["NO_COLOR"].map({ !$0.isEmpty }) ?? false || term.isEmpty || term == "dumb" {
      self = .none
      return
    }
    let color = environment["COLORTERM"] ?? ""
    if color == "truecolor" || color == "24bit" || term.hasSuffix("-direct") {
      self = .exact
    } else if term.contains("256color") || ["xterm-kitty", "alacritty", "foot", "xterm-ghostty"].contains(term) {
      self = .indexed
    } else if term.hasPrefix("vt") || term.hasSuffix("-m") || term.hasSuffix("-mono") {
      self = .none
    } else {
      self = .sixteen
    }
  }

  /// The terminal's colour that is nearest to `color`.
  public func ink(_ color: Color) -> Ink {
    switch self {
    case .none: .standard
    case .sixteen: .index(Palette.nearestOfSixteen(color))
    case .indexed: .index(Palette.nearestOfAll(color))
    case .exact: .exact(color.packed)
    }
  }
}

/// The colours of the palette's indices, as in xterm. Users might have changed the first sixteen, but hardly their
/// hues.
enum Palette {
  static let sixteen: [Color] = [
    0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5,
    0x7F7F7F, 0xFF0000, 0x00FF00, 0xFFFF00, 0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF,
  ].map { Color(packed: $0) }

  /// The nearest of the sixteen colours. If `color` has a hue, greys are excluded: otherwise a muted blue would often
  /// become grey.
  /// - Parameter excluded: a colour that must not be the result.
  static func nearestOfSixteen(_ color: Color, but excluded: UInt8? = nil) -> UInt8 {
    let brightest = max(color.red, color.green, color.blue)
    let hasHue = brightest > 70 && Int(brightest) - Int(min(color.red, color.green, color.blue)) > 44
    var nearest: Int?
    for index in sixteen.indices where !hasHue || !greys.contains(index) {
      if let excluded, index == Int(excluded) { continue }
      if let found = nearest, distance(color, sixteen[index]) >= distance(color, sixteen[found]) { continue }
      nearest = index
    }
    return UInt8(nearest ?? 0)
  }

  private static let greys = [0, 7, 8, 15]

  /// The nearest colour among the cube of 216 colours and the 24 greys.
  static func nearestOfAll(_ color: Color) -> UInt8 {
    let red = level(color.red)
    let green = level(color.green)
    let blue = level(color.blue)
    let cube = Color(red: levels[red], green: levels[green], blue: levels[blue])
    let mean = (Int(color.red) + Int(color.green) + Int(color.blue)) / 3
    let step = min(max((mean - 3) / 10, 0), 23)
    let shade = UInt8(8 + 10 * step)
    if distance(color, Color(red: shade, green: shade, blue: shade)) < distance(color, cube) {
      return UInt8(232 + step)
    }
    return UInt8(16 + 36 * red + 6 * green + blue)
  }

  private static let levels: [UInt8] = [0, 95, 135, 175, 215, 255]

  private static func level(_ value: UInt8) -> Int {
    if value < 48 { return 0 }
    return value < 115 ? 1 : (Int(value) - 35) / 40
  }

  /// The difference between two colours, weighted roughly as the eye weighs red, green and blue.
  static func distance(_ one: Color, _ other: Color) -> Int {
    let mean = (Int(one.red) + Int(other.red)) / 2
    let red = Int(one.red) - Int(other.red)
    let green = Int(one.green) - Int(other.green)
    let blue = Int(one.blue) - Int(other.blue)
    return (512 + mean) * red * red / 256 + 4 * green * green + (767 - mean) * blue * blue / 256
  }
}
