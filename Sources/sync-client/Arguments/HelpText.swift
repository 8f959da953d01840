import CommandWords

extension CommandTable {
  /// The text of `--help` without a command's name.
  var helpText: String {
    var lines = [
      "sync-client \(Release.version): shared canvases in a terminal.",
      "",
      "  sync-client COMMAND …        options stand before the command or behind it",
    ]
    for group in Command.Group.allCases {
      let commands = self.commands.filter { $0.group == group }
      guard !commands.isEmpty else { continue }
      lines += ["", group.rawValue]
      let words = commands.map { command in
        (([command.name] + command.operands.map { $0.shown }).joined(separator: " "), command.summary)
      }
      lines += HelpText.columns(words)
    }
    lines += ["", "Options of every command"]
    lines += HelpText.columns(Option.common.map { ($0.shown, $0.words) })
    lines += [
      "", "sync-client COMMAND --help explains a command, with examples. sync-client --version prints the version,",
      "--manual the manual page, --completion bash|zsh|fish what the shell needs to complete commands.",
    ]
    lines += HelpText.wrapped("Exit codes: \(CommandTable.exitCodes)", width: 110)
    return lines.joined(separator: "\n")
  }
}

extension Command {
  var helpText: String {
    var lines = ["\(usage)", "", summary.prefix(1).uppercased() + summary.dropFirst() + "."]
    for paragraph in details { lines += [""] + HelpText.wrapped(paragraph, width: 92) }
    if !allOptions.isEmpty {
      lines += ["", "Options"]
      lines += HelpText.columns(allOptions.map { ($0.shown, $0.words) })
    }
    lines += ["", "Options of every command"]
    lines += HelpText.columns(Option.common.map { ($0.shown, $0.words) })
    if !examples.isEmpty {
      lines += ["", "Examples"]
      for example in examples { lines.append("  sync-client \(example)") }
    }
    return lines.joined(separator: "\n")
  }
}

extension Option {
  var shown: String { value.map { "\(name) \($0)" } ?? name }
}

enum HelpText {
  /// Formats rows in two columns. The first column is as wide as its widest entry.
  static func columns(_ rows: [(String, String)]) -> [String] {
    let width = min(rows.map { $0.0.count }.max() ?? 0, 38)
    var lines: [String] = []
    for (left, right) in rows {
      let parts = wrapped(right, width: 92 - width)
      if left.count > width {
        lines.append("  \(left)")
        lines += parts.map { "  \(String(repeating: " ", count: width))  \($0)" }
      } else {
        let padded = left + String(repeating: " ", count: width - left.count)
        lines.append("  \(padded)  \(parts.first ?? "")")
        lines += parts.dropFirst().map { "  \(String(repeating: " ", count: width))  \($0)" }
      }
    }
    return lines
  }

  static func wrapped(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    if !line.isEmpty { lines.append(line) }
    return lines
  }
}
