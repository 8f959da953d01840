import CommandWords

extension CommandTable {
  static let exitCodes =
    "0 done, 1 failed, 2 could not connect, 64 the command line is wrong, 75 the edit wasn't taken in time, "
    + "128 and a signal's number: interrupted."

  var manual: Manual {
    Manual(
      program: "sync-client",
      summary: "shared canvases in a terminal",
      synopsis: ["COMMAND … [options]"],
      description: ["Options stand before the command or behind it."],
      groups: [.init("Options of every command", Option.common.map { $0.manual } + Manual.options.dropFirst())],
      optionsFollow: true,
      commands: commands.map { command in
        Manual.Command(
          command.name,
          usage: ([command.name] + command.operands.map { $0.shown }).joined(separator: " "),
          summary: command.summary,
          details: command.details,
          options: command.allOptions.map { $0.manual },
          examples: command.examples
        )
      },
      exitCodes: CommandTable.exitCodes
    )
  }
}

extension Option {
  fileprivate var manual: Manual.Option { Manual.Option(name, value, words) }
}
