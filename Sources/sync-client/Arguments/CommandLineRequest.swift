/// The request that the command line makes: a text of help, or a command to run.
enum CommandLineRequest: Sendable {
  case help(String)
  case run(Command, Invocation)

  /// - Parameter words: without the program's own name.
  init(_ words: [String], of table: CommandTable, environment: [String: String]) throws(ClientFailure) {
    guard let first = words.first else {
      throw .usage("no command. Usage: sync-client COMMAND …; sync-client --help lists all commands")
    }
    switch first {
    case "--help", "-h", "help":
      guard words.count > 1 else {
        self = .help(table.helpText)
        return
      }
      self = .help(try table.command(named: words[1]).helpText)
    case "--version":
      self = .help("sync-client \(CommandTable.version)")
    default:
      let command = try table.command(named: first)
      let arguments = try Arguments(Array(words.dropFirst()), for: command)
      if arguments.has("--help") {
        self = .help(command.helpText)
      } else {
        self = .run(command, try Invocation(arguments, environment: environment))
      }
    }
  }
}
