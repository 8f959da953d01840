extension Configuration {
  /// The text of `--help`: the settings by group, with their defaults.
  static let helpText: String = {
    var lines = [
      "SyncServer \(version): shared canvases over WebSockets and HTTP.",
      "",
      "  SyncServer [--port 8080] [--data .data] …",
      "  SyncServer log verify|repair|backup|move …      checks, copies and moves stored rooms; see log --help",
      "",
      "Each flag is also a variable: --max-shapes 5000 is CANVAS_MAX_SHAPES=5000. A flag overrides its variable.",
    ]
    lines += group(
      "The server",
      Option.all.map { option in
        let standard = option.standard.map { " (\($0))" } ?? ""
        return (option.name + (option.value.map { " \($0)" } ?? ""), option.words + standard)
      } + [("--help", "this"), ("--version", "the version")]
    )
    let standard = Limits()
    for subject in LimitFlag.Group.allCases {
      let flags = Limits.flags.filter { $0.group == subject }
      lines += group(subject.rawValue, flags.map { ("\($0.name) N", "\($0.words) (\(standard[keyPath: $0.limit]))") })
    }
    lines += ["", "Exit codes: 0 stopped by a signal, 1 can't run, 64 bad flag."]
    return lines.joined(separator: "\n")
  }()

  private static func group(_ title: String, _ entries: [(String, String)]) -> [String] {
    let width = 38
    return ["", title]
      + entries.map { entry in
        "  " + entry.0 + String(repeating: " ", count: max(1, width - entry.0.utf8.count)) + entry.1
      }
  }
}
