/// A command of this program. The command line's first word names it.
struct Command: Sendable {
  let name: String
  let group: Group
  var operands: [Operand] = []
  /// The purpose in one line, for the help text.
  let summary: String
  /// The paragraphs of the help text after the summary.
  var details: [String] = []
  var options: [Option] = []
  /// Example command lines, without the program's name.
  var examples: [String] = []
  let body: @ClientLoop @Sendable (Invocation) async throws -> ExitCode

  enum Group: String, CaseIterable, Sendable {
    case looking = "Look at a room"
    case editing = "Edit a room"
    case exchanging = "Import and export"
    case operating = "Run and test a server"
  }

  /// A positional argument of a command.
  enum Operand: Hashable, Sendable {
    case one(String)
    case optional(String)
    /// One or more.
    case several(String)
    /// Zero or more words.
    case any(String)

    var shown: String {
      switch self {
      case .one(let name): name
      case .optional(let name): "[\(name)]"
      case .several(let name): "\(name)…"
      case .any(let name): "[\(name)…]"
      }
    }
  }

  /// The command's own options, and those that all commands of its group have.
  var allOptions: [Option] { options + (group == .editing ? [Option.patience] : []) }

  var usage: String {
    (["sync-client", name] + operands.map { $0.shown } + (allOptions.isEmpty ? [] : ["[options]"]))
      .joined(separator: " ")
  }
}

/// An option of the command line, such as `--name value`.
struct Option: Hashable, Sendable {
  let name: String
  /// The placeholder for the option's value in the help text. `nil` for a switch.
  var value: String?
  let words: String

  init(_ name: String, _ value: String? = nil, _ words: String) {
    self.name = name
    self.value = value
    self.words = words
  }

  static let common = [
    Option("--server", "URL", "the server; wss:// for TLS (default: CANVAS_SERVER, or ws://127.0.0.1:8080)"),
    Option("--token", "TOKEN", "the access token, if the server wants one (default: CANVAS_TOKEN)"),
    Option(
      "--token-file",
      "FILE",
      "a file with the token; it is read again when the token ends (default: CANVAS_TOKEN_FILE)"
    ),
    Option("--name", "NAME", "the name that others see (default where you edit: USER)"),
    Option("--color", "COLOR", "the colour that others see you in, such as tomato or E4572E"),
    Option("--json", "print JSON, one object a line, for programs"),
    Option("--no-color", "no colours, also on a terminal (same as NO_COLOR)"),
    Option("--help", "explain the command"),
  ]

  /// How long to wait for the server's answer, and for other commands. All commands that edit a room have this option.
  static let patience = Option(
    "--patience",
    "TIME",
    "how long to wait for a server that doesn't take the edit (default: 60s), or for another command of yours that is "
      + "still writing to the room (default: 15s)"
  )

  private init(_ name: String, _ words: String) { self.init(name, nil, words) }
}
