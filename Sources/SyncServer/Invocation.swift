import CommandWords
import RoomLog

/// The parsed command line.
enum Invocation: Hashable, Sendable {
  case serve(Configuration)
  case log(LogCommand)
  case help(String)
  case version
}

extension Invocation {
  /// Reads the environment, and then the command line, whose settings replace those of the environment.
  /// - Parameter arguments: the arguments without the program's own name.
  init(arguments: [String], environment: [String: String]) throws(ConfigurationError) {
    switch Manual.server.answer(to: arguments) {
    case .text(let text):
      self = .help(text)
      return
    case .fault(let words): throw ConfigurationError(words: words)
    case nil: break
    }
    if arguments.first == "log" {
      switch try LogCommand.read(arguments.dropFirst(), environment: environment) {
      case .help: self = .help(LogCommand.helpText)
      case .command(let command): self = .log(command)
      }
      return
    }
    var configuration = Configuration()
    for (variable, apply) in Setting.all.map({ ($0.variable, $0.apply) }) {
      guard let value = environment[variable] else { continue }
      if variable == "CANVAS_DATA" { try Configuration.check(place: value, of: variable) }
      if let fault = apply(value, &configuration) {
        throw ConfigurationError(words: "\(variable)=\(value): \(fault)")
      }
    }
    configuration.complaints = Variables.complaints(about: environment.keys, own: Variables.server)
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--help", "-h", "help":
        self = .help(Configuration.helpText)
        return
      case "--version", "-V", "version":
        self = .version
        return
      default: try Invocation.take(argument, from: &rest, into: &configuration)
      }
    }
    self = .serve(configuration)
  }

  /// Takes one flag off the arguments: `--flag value`, `--flag=value`, or `--switch`.
  private static func take(
    _ argument: String,
    from rest: inout ArraySlice<String>,
    into configuration: inout Configuration
  ) throws(ConfigurationError) {
    let halves = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let setting = Setting.all.first(where: { $0.name == halves[0] }) else {
      let question = Suggestion.question(halves[0], among: Setting.all.map { $0.name })
      throw ConfigurationError(words: "\(halves[0]): unknown flag.\(question) --help lists all flags.")
    }
    let value: String
    if halves.count == 2 {
      value = halves[1]
    } else if setting.isSwitch {
      value = "true"
    } else if let next = rest.popFirst() {
      value = next
    } else {
      throw ConfigurationError(words: "\(setting.name) needs a value")
    }
    if PostgresLog.isAddress(value), PostgresLog.hasPassword(value) {
      throw ConfigurationError(words: "\(setting.name): \(Configuration.passwordIsSeen)")
    }
    if setting.name == "--data" { try Configuration.check(place: value, of: setting.name) }
    if let fault = setting.apply(value, &configuration) {
      throw ConfigurationError(words: "\(setting.name) \(value): \(fault)")
    }
  }
}
