import CanvasCRDT

/// The neutral colours of everything except shapes and people, as on the page. There is one theme for dark terminals
/// and one for light ones.
public struct Theme: Equatable, Sendable {
  public var paper: Color
  public var grid: Color
  public var panel: Color
  public var raised: Color
  public var text: Color
  public var quiet: Color
  /// The colour of warnings, such as "offline" and "refused".
  public var warning: Color

  /// The colour of common areas, in both themes.
  public static let overlap = Color(packed: 0xFF8C1A)
  public static let overlapPart = 0.45

  public static let dark = Theme(
    paper: Color(packed: 0x141413),
    grid: Color(packed: 0x3A3935),
    panel: Color(packed: 0x1F1F1D),
    raised: Color(packed: 0x2A2A27),
    text: Color(packed: 0xECEBE6),
    quiet: Color(packed: 0xA5A39C),
    warning: Color(packed: 0xF97066)
  )

  public static let light = Theme(
    paper: Color(packed: 0xFAF9F6),
    grid: Color(packed: 0xC9C6BD),
    panel: Color(packed: 0xFFFFFF),
    raised: Color(packed: 0xE9E6DF),
    text: Color(packed: 0x1D1D1B),
    quiet: Color(packed: 0x66645F),
    warning: Color(packed: 0xB42318)
  )
}

extension Theme {
  public var isDark: Bool { paper.luminance < 128 }

  /// A person's colour in this theme. It is lightened if it would be hard to see on a dark background.
  public func person(_ color: Color) -> Color {
    guard isDark, color.luminance < 120 else { return color }
    return color.covered(by: Color(red: 255, green: 255, blue: 255), part: 0.4)
  }
}

extension Color {
  /// Black or white, whichever is easier to read on this colour.
  public var legible: Color {
    luminance > 140 ? Color(red: 0, green: 0, blue: 0) : Color(red: 255, green: 255, blue: 255)
  }
}
