import CanvasCRDT

/// Texts in shapes, as people type them and read them in one line.
enum TextWords {
  /// The typed text, with `\\n` for a line break and `\\\\` for a backslash.
  static func written(_ typed: String) -> String {
    var text = ""
    var isEscaped = false
    for character in typed {
      switch (isEscaped, character) {
      case (false, "\\"): isEscaped = true
      case (true, "n"):
        text += "\n"
        isEscaped = false
      case (true, "\\"):
        text += "\\"
        isEscaped = false
      case (true, _):
        text += "\\" + String(character)
        isEscaped = false
      case (false, "\r\n"): text += "\n"
      case (false, _): text.append(character)
      }
    }
    return isEscaped ? text + "\\" : text
  }

  /// Terminals send a carriage return for a line break.
  static func withLineFeeds(_ text: String) -> String {
    text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
  }

  /// The reverse of `written`, for a field of one line.
  static func typed(_ text: Text) -> String {
    text.string.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
  }

  /// `“Buy milk…”`: the beginning, on one line.
  static func quoted(_ text: Text) -> String {
    let line = inOneLine(text)
    if line.isEmpty { return "nothing" }
    return line.count > shownMax ? "“\(line.prefix(shownMax - 1))…”" : "“\(line)”"
  }

  /// Without line breaks, and without characters that are invisible or set the direction of the text around them.
  static func inOneLine(_ text: Text) -> String {
    text.string.split(separator: "\n").joined(separator: " ").printable
  }

  private static let shownMax = 60
}
