import WebSocketLoop

/// A row of the table of routes: a method, a path, who may use them, and what they do.
struct Route<Service: RoomService>: Sendable {
  typealias Answer = @Sendable (isolated Service, RoutedRequest) async -> Response

  /// Who may use a route.
  enum Users: Equatable, Sendable {
    /// Everybody, by any name of the server: health checks, whose answers are no secret.
    case everybody
    /// Everybody who uses a name that the server knows. Pages of any site may fetch the answer, because it says nothing
    /// about rooms.
    case anyone
    /// Clients whose token gives this level of access. Pages of unknown sites are refused.
    case holders(Grant.Level)
  }

  let method: String
  let path: RoutePath
  let users: Users
  /// The allowed parameters, besides `token`. Under `/v1` any other is refused: it is probably mistyped, and would have
  /// no effect.
  let parameters: Set<String>
  /// Whether the route reads a body of the request's content type.
  let takes: @Sendable (Request) -> Bool
  let answer: Answer

  init(
    _ method: String,
    _ path: RoutePath,
    _ users: Users,
    _ parameters: Set<String> = [],
    taking takes: @escaping @Sendable (Request) -> Bool = { _ in true },
    answer: @escaping Answer
  ) {
    self.method = method
    self.path = path
    self.users = users
    self.parameters = parameters
    self.takes = takes
    self.answer = answer
  }

  /// In the order in which `Allow` lists them. `HEAD` works where `GET` does (H3), but opens no WebSocket.
  var methods: [String] { method == "GET" && path != .sync ? ["GET", "HEAD"] : [method] }

  /// The level of access that a token needs. `nil` if no token is needed.
  var level: Grant.Level? { if case .holders(let level) = users { level } else { nil } }

  /// A request costs this many operations, in addition to those that it writes. An operator's change costs more than a
  /// write, because it takes a commit of its own.
  var price: Int { level == .operator && method != "GET" ? 8 : 0 }
}

/// A request that has passed the checks of its route.
struct RoutedRequest: Sendable {
  let request: Request
  let body: [UInt8]
  /// Covers no room if the route needs no token.
  let grant: Grant
  let path: RoutePath

  /// What the path has in place of `{room}`.
  var room: String { path.value(of: "{room}", in: request.pathParts) ?? "" }
  /// What the path has in place of `{actor}`.
  var actor: String { path.value(of: "{actor}", in: request.pathParts) ?? "" }
}

/// A path, in which a part in braces stands for any text.
struct RoutePath: Hashable, ExpressibleByStringLiteral, Sendable {
  static let sync: RoutePath = "/v1/rooms/{room}/sync"
  static let layout: RoutePath = "/v1/rooms/{room}/layout"

  let text: String
  private let parts: [String]

  init(stringLiteral text: String) {
    self.text = text
    parts = text.split(separator: "/").map(String.init)
  }

  /// - Parameter parts: the parts of a request's path.
  func matches(_ parts: [String]) -> Bool {
    parts.count == self.parts.count && zip(parts, self.parts).allSatisfy { $1.hasPrefix("{") || $0 == $1 }
  }

  /// What a matching path has in place of a part in braces.
  func value(of name: String, in parts: [String]) -> String? { self.parts.firstIndex(of: name).map { parts[$0] } }
}
