import TerminalCanvas

/// A terminal emulator for the escape sequences that our program writes. It shares no code with the program.
struct EmulatedTerminal {
  private(set) var rows: [[String]]
  private(set) var looks: [[String]]
  private var row = 0
  private var column = 0
  private var look = ""
  private(set) var unknown: [String] = []

  init(columns: Int, rows: Int) {
    self.rows = Array(repeating: Array(repeating: " ", count: columns), count: rows)
    looks = Array(repeating: Array(repeating: "", count: columns), count: rows)
  }

  mutating func feed(_ bytes: [UInt8]) {
    let scalars = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
    var index = 0
    while index < scalars.count {
      if scalars[index] == "\u{1B}", index + 1 < scalars.count, scalars[index + 1] == "[" {
        var end = index + 2
        while !("@"..."~").contains(scalars[end]) { end += 1 }
        control(String(String.UnicodeScalarView(scalars[(index + 2)..<end])), scalars[end])
        index = end + 1
      } else {
        put(scalars[index])
        index += 1
      }
    }
  }

  private mutating func control(_ parameters: String, _ final: Unicode.Scalar) {
    let numbers = parameters.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) ?? 1 }
    switch final {
    case "H":
      row = numbers[0] - 1
      column = numbers.count > 1 ? numbers[1] - 1 : 0
    case "C": column += numbers[0]
    case "m": select(parameters)
    case "J":
      for row in rows.indices {
        for column in rows[row].indices {
          rows[row][column] = " "
          looks[row][column] = ""
        }
      }
    case "h", "l": break
    default: unknown.append("\(parameters)\(final)")
    }
  }

  /// Sets the text attributes that the parameters of an escape sequence name. The attributes are stored as a text that
  /// lists them in a fixed order.
  private mutating func select(_ parameters: String) {
    var codes = parameters.isEmpty ? ["0"] : parameters.split(separator: ";").map(String.init)
    var parts = Dictionary(uniqueKeysWithValues: look.split(separator: "|").map { ($0.prefix(1), $0) })
    while !codes.isEmpty {
      let code = codes.removeFirst()
      switch Int(code)! {
      case 0: parts = [:]
      case 1, 2, 4, 7: parts[Substring(code)] = Substring(code)
      case 39: parts["f"] = nil
      case 49: parts["b"] = nil
      case 38, 48:
        let count = codes[0] == "5" ? 2 : 4
        parts[code == "38" ? "f" : "b"] = Substring(
          (code == "38" ? "f" : "b") + codes.prefix(count).joined(separator: ",")
        )
        codes.removeFirst(count)
      case 30...37, 90...97: parts["f"] = Substring("f" + code)
      case 40...47, 100...107: parts["b"] = Substring("b" + code)
      default: unknown.append("\(code)m")
      }
    }
    look = parts.keys.sorted().map { parts[$0]! }.joined(separator: "|")
  }

  private mutating func put(_ scalar: Unicode.Scalar) {
    let text = String(Character(scalar))
    if text.columns == 0 {
      rows[row][column - 1] += text
      return
    }
    for offset in 0..<text.columns {
      rows[row][column + offset] = offset == 0 ? text : ""
      looks[row][column + offset] = text == " " ? lookOfSpace : look
    }
    column += text.columns
  }

  /// The attributes of a space. The foreground counts only where it is visible, in reversed or underlined text.
  private var lookOfSpace: String {
    let parts = look.split(separator: "|")
    return parts.contains("7") || parts.contains("4")
      ? look : parts.filter { !$0.hasPrefix("f") }.joined(separator: "|")
  }
}
