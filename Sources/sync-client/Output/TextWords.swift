import CanvasCRDT

/// The texts of shapes, as people type and read them in one line.
enum TextWords {
  /// The text that was typed, with each `\\n` replaced by a line break and each `\\\\` by a backslash.
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

  /// The text with line feeds instead of the carriage returns that terminals send for line breaks.
  static func withLineFeeds(_ text: String) -> String {
    text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
  }

  /// The reverse of `written`, for a field of one line.
  static func typed(_ text: Text) -> String {
    text.string.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
  }

  /// The beginning of the text, on one line: `“Buy milk…”`.
  static func quoted(_ text: Text) -> String {
    let line = inOneLine(text)
    if line.isEmpty { return "nothing" }
    return line.count > shownMax ? "“\(line.prefix(shownMax - 1))…”" : "“\(line)”"
  }

  /// The text without line breaks, and without characters that are invisible or set the direction of the text around
  /// them.
  static func inOneLine(_ text: Text) -> String {
    text.string.split(separator: "\n").joined(separator: " ").printable
  }

  private static let shownMax = 60
}
