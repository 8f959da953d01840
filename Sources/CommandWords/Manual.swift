/// Everything that can be typed after a program's name, with explanations. Each program builds its manual from the
/// tables with which it parses its command line. The manual page and the shell completions are made from it.
public struct Manual: Sendable {
  public struct Option: Sendable {
    public let name: String
    /// The placeholder of the option's value. `nil` for a switch, which has no value.
    public let value: String?
    public let words: String

    public init(_ name: String, _ value: String?, _ words: String) {
      (self.name, self.value, self.words) = (name, value, words)
    }

    /// The option with its placeholder, `--port NUMBER`.
    public var shown: String { value.map { "\(name) \($0)" } ?? name }

    /// Whether shells complete the option's value with file names.
    var takesFile: Bool { ["FILE", "PATH", "DIRECTORY", "PLACE"].contains(value) }
  }

  /// A command of one or two words, such as `log verify`.
  public struct Command: Sendable {
    let name: String
    let usage: String
    let summary: String
    let details: [String]
    let options: [Option]
    let examples: [String]

    public init(
      _ name: String,
      usage: String,
      summary: String,
      details: [String] = [],
      options: [Option],
      examples: [String] = []
    ) {
      (self.name, self.usage, self.summary, self.details) = (name, usage, summary, details)
      (self.options, self.examples) = (options, examples)
    }
  }

  public struct Group: Sendable {
    public let title: String
    public let options: [Option]

    public init(_ title: String, _ options: [Option]) { (self.title, self.options) = (title, options) }
  }

  let program: String
  let summary: String
  let synopsis: [String]
  let description: [String]
  let groups: [Group]
  /// Whether the options of `groups` may also come after a command.
  let optionsFollow: Bool
  let commands: [Command]
  let exitCodes: String

  /// - Parameters:
  ///   - synopsis: command lines without the program's name.
  ///   - groups: options for use without a command. If `optionsFollow`, they may also come after a command.
  public init(
    program: String,
    summary: String,
    synopsis: [String],
    description: [String],
    groups: [Group],
    optionsFollow: Bool,
    commands: [Command],
    exitCodes: String
  ) {
    (self.program, self.summary, self.synopsis, self.description) = (program, summary, synopsis, description)
    (self.groups, self.optionsFollow, self.commands, self.exitCodes) = (groups, optionsFollow, commands, exitCodes)
  }

  /// The options that print information about the program.
  public static let options = [
    Option("--help", nil, "this"),
    Option("--version", nil, "the version, and the commit that it was built from"),
    Option("--manual", nil, "the manual page, as troff"),
    Option("--completion", "SHELL", "what bash, zsh or fish needs to complete a command line"),
  ]

  /// The output of `--manual` or `--completion`, or an error about the words after them. `nil` if the command line
  /// begins with neither.
  public func answer(to words: some Collection<String>) -> Answer? {
    switch words.first {
    case "--manual": return .text(page)
    case "--completion":
      let name = words.dropFirst().first ?? ""
      guard let shell = Shell(rawValue: name) else { return .fault("--completion \(name): bash, zsh or fish") }
      return .text(completion(for: shell))
    default: return nil
    }
  }

  public enum Answer: Sendable {
    case text(String)
    case fault(String)
  }
}
