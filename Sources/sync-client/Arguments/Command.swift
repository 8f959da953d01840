/// One of the things that the program does, by the first word of the command line.
struct Command: Sendable {
  let name: String
  let group: Group
  var operands: [Operand] = []
  /// What it does, in a line.
  let summary: String
  /// What else there is to know, a paragraph each.
  var details: [String] = []
  var options: [Option] = []
  /// Without the program's name.
  var examples: [String] = []
  let body: @ClientLoop @Sendable (Invocation) async throws -> ExitCode

  enum Group: String, CaseIterable, Sendable {
    case looking = "To look"
    case editing = "To edit"
    case exchanging = "To exchange"
    case operating = "To operate"
  }

  /// What stands on the command line beside options.
  enum Operand: Hashable, Sendable {
    case one(String)
    case optional(String)
    /// At least one.
    case several(String)
    /// None, one or several.
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

  var usage: String {
    (["sync-client", name] + operands.map { $0.shown } + (options.isEmpty ? [] : ["[options]"]))
      .joined(separator: " ")
  }
}

/// A word that begins with two hyphens, and perhaps its value.
struct Option: Hashable, Sendable {
  let name: String
  /// What its value is called; a switch has none.
  var value: String?
  let words: String

  init(_ name: String, _ value: String? = nil, _ words: String) {
    self.name = name
    self.value = value
    self.words = words
  }

  /// Those that every command takes.
  static let common = [
    Option("--server", "URL", "the server, by TLS with wss:// (CANVAS_SERVER, else ws://127.0.0.1:8080)"),
    Option("--token", "TOKEN", "where the server asks for one (CANVAS_TOKEN)"),
    Option("--name", "NAME", "by which others know you (USER, where you edit)"),
    Option("--color", "RRGGBB", "in which others see you, such as E4572E"),
    Option("--json", "one JSON object a line, for programs"),
    Option("--no-color", "plain text, also on a terminal (NO_COLOR)"),
    Option("--help", "this"),
  ]

  private init(_ name: String, _ words: String) { self.init(name, nil, words) }
}
