import CanvasCRDT

/// The texts of shapes as users type and read them on one line.
enum TextWords {
  /// Replaces `\\n` in a typed text by a line break, and `\\\\` by a backslash.
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

  /// Replaces carriage returns, which terminals send for line breaks, by line feeds.
  static func withLineFeeds(_ text: String) -> String {
    text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
  }

  /// The reverse of `written`, for an input field of one line.
  static func typed(_ text: Text) -> String {
    text.string.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
  }

  /// The beginning of a text, quoted on one line: `“Buy milk…”`.
  static func quoted(_ text: Text) -> String {
    let line = inOneLine(text)
    if line.isEmpty { return "nothing" }
    return line.count > shownMax ? "“\(line.prefix(shownMax - 1))…”" : "“\(line)”"
  }

  /// The text without line breaks, invisible characters and characters that change the direction of text.
  static func inOneLine(_ text: Text) -> String {
    text.string.split(separator: "\n").joined(separator: " ").printable
  }

  private static let shownMax = 60
}
