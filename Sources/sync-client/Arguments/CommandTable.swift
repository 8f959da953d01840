import CommandWords

/// All commands of this program, by name.
struct CommandTable: Sendable {
  /// The commands in the order of `--help`.
  let commands: [Command]

  /// Words that users may type in place of a command's name. The error message then suggests the command.
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
