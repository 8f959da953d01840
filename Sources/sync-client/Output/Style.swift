import CanvasCRDT
import TerminalCanvas

/// How a piece of text looks on a terminal with colours.
enum Style: Sendable {
  case plain
  case strong
  case faint
  /// For overlaps: orange, as on the page.
  case warning
  case good
  case bad
  case color(Color)

  private func code(_ depth: ColorDepth) -> String? {
    switch self {
    case .plain: nil
    case .strong: "1"
    case .faint: "2"
    case .warning: depth.ink(Theme.overlap).foregroundCode
    case .good: "32"
    case .bad: "31"
    case .color(let color): depth.ink(color).foregroundCode
    }
  }

  func applied(to text: String, _ depth: ColorDepth) -> String {
    guard depth != .none, let code = code(depth) else { return text }
    return "\u{1B}[\(code)m\(text)\u{1B}[0m"
  }
}

extension Output {
  /// The text in a style, if colours are on. Control characters are removed.
  func styled(_ text: String, _ style: Style) -> String { style.applied(to: text.printable, depth) }
}
