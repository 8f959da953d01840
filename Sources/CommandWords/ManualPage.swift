extension Manual {
  /// The page for `man`, in troff with the macros of man(7).
  var page: String {
    var page = Troff()
    page.lines.append(".TH \(program.uppercased()) 1 \"\" \"CanvasSync \(Release.version)\"")
    page.head("NAME")
    page.text("\(program) - \(summary)")
    page.head("SYNOPSIS")
    page.verbatim(synopsis.map { "\(program) \($0)" })
    page.head("DESCRIPTION")
    for paragraph in description { page.paragraph(paragraph) }
    for group in groups {
      page.head(group.title.uppercased())
      page.list(group.options)
    }
    if !commands.isEmpty { page.head("COMMANDS") }
    for command in commands {
      page.part(command.usage)
      page.text(command.summary.prefix(1).uppercased() + command.summary.dropFirst() + ".")
      for paragraph in command.details { page.paragraph(paragraph) }
      page.list(command.options)
      if !command.examples.isEmpty { page.verbatim(command.examples.map { "\(program) \($0)" }) }
    }
    page.head("EXIT STATUS")
    page.text(exitCodes)
    return page.lines.joined(separator: "\n")
  }
}

/// Lines of troff. All texts are escaped, so that troff doesn't interpret their characters.
private struct Troff {
  var lines: [String] = []

  mutating func head(_ words: String) { lines.append(".SH \(Troff.escaped(words))") }
  mutating func part(_ words: String) { lines.append(".SS \(Troff.escaped(words))") }
  mutating func text(_ words: String) { lines.append(Troff.escaped(words)) }

  mutating func paragraph(_ words: String) {
    lines.append(".PP")
    text(words)
  }

  mutating func list(_ options: [Manual.Option]) {
    for option in options {
      lines.append(".TP")
      lines.append(
        "\\fB\(Troff.escaped(option.name))\\fR" + (option.value.map { " \\fI\(Troff.escaped($0))\\fR" } ?? "")
      )
      text(option.words)
    }
  }

  mutating func verbatim(_ rows: [String]) {
    lines += [".PP", ".nf", ".RS"] + rows.map { Troff.escaped($0) } + [".RE", ".fi"]
  }

  /// Escapes a text. Hyphens are escaped so that readers of the manual page can search for options and paste them. A
  /// dot or a quote at the beginning of a line is escaped because troff would read the line as a request.
  private static func escaped(_ words: some StringProtocol) -> String {
    var result = ""
    for letter in words {
      switch letter {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case ".", "'": result += result.isEmpty ? "\\&\(letter)" : "\(letter)"
      default: result.append(letter)
      }
    }
    return result
  }
}
