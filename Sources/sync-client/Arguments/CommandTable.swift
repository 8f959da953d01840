/// All commands, in the order in which `--help` lists them.
enum CommandTable {
  static let all: [Command] =
    [Join.command, Watch.command, Show.command, Replay.command]
    + [Add.command] + ChangeShape.commands + [Order.command] + History.commands
    + ImportExport.commands + [Pipe.command]
    + [Rooms.command, Top.command, RunBots.command, Check.command]

  static func unknown(_ name: String) -> ClientFailure {
    .usage("\(name): there is no such command; sync-client --help lists all")
  }

  static func command(named name: String) -> Command? { all.first { $0.name == name } }
}
