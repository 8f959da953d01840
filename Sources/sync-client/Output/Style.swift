import CanvasCRDT

/// How a piece of text looks on a terminal that has colours.
enum Style: Sendable {
  case plain
  case strong
  case faint
  /// What overlaps, in the page's orange.
  case warning
  case good
  case bad
  case color(Color)

  private var code: String? {
    switch self {
    case .plain: nil
    case .strong: "1"
    case .faint: "2"
    case .warning: "38;2;255;140;26"
    case .good: "32"
    case .bad: "31"
    case .color(let color): "38;2;\(color.red);\(color.green);\(color.blue)"
    }
  }

  func applied(to text: String) -> String {
    guard let code else { return text }
    return "\u{1B}[\(code)m\(text)\u{1B}[0m"
  }
}

extension Output {
  /// The text in a style, where there are colours; also without what controls a terminal.
  func styled(_ text: String, _ style: Style) -> String {
    usesColor ? style.applied(to: text.printable) : text.printable
  }
}
