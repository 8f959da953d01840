extension CommandTable {
  /// All commands, in the order of `--help`.
  static let all = CommandTable(
    [Join.command, Watch.command, Show.command, Replay.command]
      + [Add.command] + ChangeShape.commands + [Order.command] + History.commands
      + ImportExport.commands + [Pipe.command]
      + Operators.commands + [Rooms.command, Top.command, RunBots.command, Check.command]
  )
}
