/// The commands that the first word of the command line chooses from.
struct CommandTable: Sendable {
  static let version = "0.1.0"

  /// In the order in which `--help` lists them.
  let commands: [Command]

  init(_ commands: [Command]) { self.commands = commands }

  func command(named name: String) throws(ClientFailure) -> Command {
    guard let command = commands.first(where: { $0.name == name }) else {
      let question = Suggestion.question(name, among: commands.map { $0.name })
      throw .usage("\(name): there is no such command.\(question) sync-client --help lists all commands.")
    }
    return command
  }
}
