import CanvasCRDT
import TerminalCanvas

/// A command's arguments, with the settings that all commands have, such as the server and the user's name.
struct Invocation: Sendable {
  let arguments: Arguments
  let server: ServerAddress
  let name: Text?
  let color: Color?
  let isJSON: Bool
  let output: Output
  /// How many colours to use. The environment and `--no-color` decide.
  let colorDepth: ColorDepth
  let environment: [String: String]

  init(_ arguments: Arguments, environment: [String: String]) throws(ClientFailure) {
    self.arguments = arguments
    self.environment = environment
    let said = arguments["--server"]
    server = try ServerAddress(
      said ?? environment["CANVAS_SERVER"] ?? "ws://127.0.0.1:8080",
      from: said == nil ? "CANVAS_SERVER" : "--server",
      token: try Invocation.token(arguments, environment)
    )
    name = try arguments["--name"].map { (text) throws(ClientFailure) in
      let name = Text(text)
      guard PropertyRules.takesName(name) else {
        throw .usage("--name: must be 1 to 128 bytes of text without control characters or invisible ones")
      }
      return name
    }
    color = try arguments["--color"].map { (text) throws(ClientFailure) in
      try ColorWords.color(text)
    }
    isJSON = arguments.has("--json")
    colorDepth = arguments.has("--no-color") ? .none : ColorDepth(environment: environment)
    output = Output(depth: isJSON || !Output.isTerminal ? .none : colorDepth, isJSON: isJSON)
  }

  /// Where the token comes from. Options take precedence over environment variables.
  private static func token(
    _ arguments: Arguments,
    _ environment: [String: String]
  ) throws(ClientFailure) -> TokenSource {
    let isSaid = arguments["--token"] != nil || arguments["--token-file"] != nil
    let token = isSaid ? arguments["--token"] : environment["CANVAS_TOKEN"]
    if let token, !token.isEmpty { return .given(token) }
    guard let file = isSaid ? arguments["--token-file"] : environment["CANVAS_TOKEN_FILE"], !file.isEmpty else {
      return .none
    }
    guard let source = TokenSource(file: file) else {
      throw .usage("--token-file: \(file) can't be read, or has no token")
    }
    return source
  }

  /// The first operand, as a room's name.
  func room() throws(ClientFailure) -> RoomName { try RoomName(arguments.operands[0]) }

  /// The user's login name. It is used if they gave no name.
  var ownName: Text {
    let user = Text(environment["USER"] ?? "")
    return PropertyRules.takesName(user) ? user : "Terminal"
  }

  /// The configuration with which most commands join a room. The others have configurations of their own.
  func replicaConfiguration(name standard: Text = "Terminal") -> ReplicaConfiguration {
    var configuration = ReplicaConfiguration()
    configuration.name = name ?? standard
    configuration.color = color
    return configuration
  }

  /// Tells the user what the command waits for.
  func tell(_ delay: Delay) { output.notice(delay.code, "waiting: \(delay.words). Ctrl-C ends this.") }

  @ClientLoop
  func client(
    of room: RoomName,
    _ configuration: ReplicaConfiguration,
    follower: any RoomFollower
  ) -> RoomClient {
    let replica = Replica(configuration: configuration, seed: UInt64.random(in: 0...UInt64.max))
    return RoomClient(server, room, replica, follower: follower)
  }
}
