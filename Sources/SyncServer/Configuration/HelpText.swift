import CommandWords

extension Configuration {
  /// The text of `--help`: the settings by group, with their defaults.
  static let helpText: String = {
    var lines = [
      "SyncServer \(Release.version): shared canvases over WebSockets and HTTP.",
      "",
      "  SyncServer [--port 8080] [--data .data] …",
      "  SyncServer log verify|repair|backup|move …      checks, copies and moves stored rooms; see log --help",
      "",
      Manual.variables,
    ]
    let width = 38
    for group in Manual.serverGroups {
      lines += ["", group.title]
      for option in group.options {
        lines.append(
          "  " + option.shown + String(repeating: " ", count: max(1, width - option.shown.utf8.count)) + option.words
        )
      }
    }
    lines += ["", "Exit codes: 0 stopped by a signal, 1 can't run, 64 bad flag."]
    return lines.joined(separator: "\n")
  }()
}

extension Manual {
  static let variables =
    "Each flag is also a variable: --max-shapes 5000 is CANVAS_MAX_SHAPES=5000. A flag overrides its variable."

  /// The settings with their defaults, as the help and the manual show them.
  static let serverGroups: [Group] = {
    let settings = SyncServer.Option.all.map { option in
      Option(option.name, option.value, option.words + (option.standard.map { " (\($0))" } ?? ""))
    }
    let standard = Limits()
    return [Group("The server", settings + Manual.options)]
      + LimitFlag.Group.allCases.map { subject in
        let flags = Limits.flags.filter { $0.group == subject }
        return Group(
          subject.rawValue,
          flags.map { Option($0.name, "N", "\($0.words) (\(standard[keyPath: $0.limit]))") }
        )
      }
  }()
}
