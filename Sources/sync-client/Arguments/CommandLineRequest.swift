import CommandWords

/// What the user asks for: help, or a command to run.
enum CommandLineRequest: Sendable {
  case help(String)
  case run(Command, Invocation)

  /// - Parameter words: the command line without the program's name.
  init(_ words: [String], of table: CommandTable, environment: [String: String]) throws(ClientFailure) {
    switch table.manual.answer(to: words) {
    case .text(let text):
      self = .help(text)
      return
    case .fault(let words): throw .usage(words)
    case nil: break
    }
    let (options, words) = try CommandLineRequest.leadingOptions(words, of: table)
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
      self = .help("sync-client \(Release.name)")
    default:
      let command = try table.command(named: first)
      let arguments = try Arguments(options + words.dropFirst(), for: command)
      if arguments.has("--help") {
        self = .help(command.helpText)
      } else {
        self = .run(command, try Invocation(arguments, environment: environment))
      }
    }
  }

  /// Reads options before the command's name, as in `--json rooms`.
  /// - Returns: these options with their values, and the remaining words.
  private static func leadingOptions(
    _ words: [String],
    of table: CommandTable
  ) throws(ClientFailure) -> (options: [String], rest: [String]) {
    let known = Option.common + table.commands.flatMap { $0.allOptions }
    var options: [String] = []
    var rest = words[...]
    while let word = rest.first, word.hasPrefix("-"), !["--help", "-h", "--version"].contains(word) {
      let name = String(word.prefix { $0 != "=" })
      guard let option = known.first(where: { $0.name == name }) else {
        let question = Suggestion.question(name, among: Option.common.map { $0.name })
        throw .usage("\(name): there is no such option.\(question) sync-client --help lists all commands and options.")
      }
      options.append(rest.removeFirst())
      if option.value != nil, name == word, let value = rest.popFirst() { options.append(value) }
    }
    return (options, Array(rest))
  }
}
