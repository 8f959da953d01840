import CommandWords

/// All commands. The first word of the command line names one of them.
struct CommandTable: Sendable {
  /// The commands in the order in which `--help` lists them.
  let commands: [Command]

  /// Words that people may type instead of a command's name, for a hint.
  private static let otherNames = [
    "list": "rooms", "ls": "rooms", "status": "top", "rm": "delete", "remove": "delete", "mv": "move", "create": "add",
    "new": "add", "draw": "join", "open": "join", "edit": "set", "print": "show", "cat": "show", "load": "import",
    "save": "export",
  ]

  init(_ commands: [Command]) { self.commands = commands }

  func command(named name: String) throws(ClientFailure) -> Command {
    guard let command = commands.first(where: { $0.name == name }) else {
      let question = Suggestion.question(name, among: commands.map { $0.name }, meaning: CommandTable.otherNames)
      throw .usage("\(name): there is no such command.\(question) sync-client --help lists all commands.")
    }
    return command
  }
}
