/// One of the program's commands, chosen by the first word of the command line.
struct Command: Sendable {
  let name: String
  let group: Group
  var operands: [Operand] = []
  /// The command's purpose, in one line.
  let summary: String
  /// The rest of its help, in paragraphs.
  var details: [String] = []
  var options: [Option] = []
  /// Command lines without the program's name.
  var examples: [String] = []
  let body: @ClientLoop @Sendable (Invocation) async throws -> ExitCode

  enum Group: String, CaseIterable, Sendable {
    case looking = "Look at a room"
    case editing = "Edit a room"
    case exchanging = "Import and export"
    case operating = "Run and test a server"
  }

  /// A word of the command line that is not an option.
  enum Operand: Hashable, Sendable {
    case one(String)
    case optional(String)
    /// One or more.
    case several(String)
    /// Any number, also none.
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

  /// Its own options, and those of its group.
  var allOptions: [Option] { options + (group == .editing ? [Option.patience] : []) }

  var usage: String {
    (["sync-client", name] + operands.map { $0.shown } + (allOptions.isEmpty ? [] : ["[options]"]))
      .joined(separator: " ")
  }
}

/// A word that begins with two hyphens, and perhaps its value.
struct Option: Hashable, Sendable {
  let name: String
  /// The name of its value in the help; a switch has none.
  var value: String?
  let words: String

  init(_ name: String, _ value: String? = nil, _ words: String) {
    self.name = name
    self.value = value
    self.words = words
  }

  /// The options that every command takes.
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

  /// The option of every command that edits a room and waits for the answer.
  static let patience = Option(
    "--patience",
    "TIME",
    "how long to wait for a server that doesn't take the edit (default: 60s)"
  )

  private init(_ name: String, _ words: String) { self.init(name, nil, words) }
}
