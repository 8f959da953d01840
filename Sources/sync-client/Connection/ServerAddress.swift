import CanvasCRDT
import WebSocketLoop

/// Where a command's token comes from.
enum TokenSource: Hashable, Sendable {
  case none
  case given(String)
  /// A file with a token, and the token that it had at first. Another program may replace its content by a newer token.
  case file(String, first: String)

  /// `nil` if the file can't be read, or has no token.
  init?(file path: String) {
    guard let token = TokenSource.token(in: path) else { return nil }
    self = .file(path, first: token)
  }

  /// The current token, read anew each time. `nil` if there is none.
  var newest: String? {
    switch self {
    case .none: return nil
    case .given(let token): return token
    case .file(let path, let first):
      // Only a regular file can be read twice. A pipe, such as `<(…)` in a shell, has given its token already.
      return FileBytes.isRegular(path) ? TokenSource.token(in: path) ?? first : first
    }
  }

  private static func token(in path: String) -> String? {
    guard let bytes = try? FileBytes.read(path, bytesMax: 65_536) else { return nil }
    let words = bytes.split { $0 <= UInt8(ascii: " ") }
    return words.first.map { String(decoding: $0, as: UTF8.self) }
  }
}

/// A server's address, with the user's token for that server.
struct ServerAddress: Hashable, Sendable {
  let host: String
  let port: Int
  /// Whether to use TLS.
  let isSecure: Bool
  var token: TokenSource

  /// Reads `ws://127.0.0.1:8080`, the same with `http`, `wss` or `https`, or just `127.0.0.1`. The default port is the
  /// scheme's, or 8080 without a scheme.
  /// - Parameter source: the option or the variable that has the text, for error messages.
  init(_ text: String, from source: String = "--server", token: TokenSource = .none) throws(ClientFailure) {
    // The part before the @ can be a password. The error message doesn't repeat it, because messages end up in logs.
    guard !text.contains("@") else {
      throw .usage(
        "\(source): a server is given without a name and a password, as ws://127.0.0.1:8080; --token is for its token"
      )
    }
    let hasScheme = ["ws:", "wss:", "http:", "https:"].contains { text.hasPrefix($0) }
    let bare = hasScheme || ServerAddress.hasPort(text) ? text : "\(text):8080"
    guard let endpoint = Endpoint(hasScheme ? text : "ws://" + bare), endpoint.query.isEmpty else {
      throw .usage("\(source)=\(text): a server is given as ws://127.0.0.1:8080")
    }
    guard endpoint.path == "/" else {
      throw .usage("\(source)=\(text): a server is given without a path, as ws://127.0.0.1:8080")
    }
    host = endpoint.host
    port = endpoint.port
    isSecure = endpoint.isSecure
    self.token = token
  }

  private static func hasPort(_ text: String) -> Bool {
    guard let colon = text.lastIndex(of: ":") else { return false }
    return !text[colon...].contains("]") && (text.hasPrefix("[") || text.firstIndex(of: ":") == colon)
  }

  /// Whether this is the default address, where `make run` starts a server.
  var isStandard: Bool { host == "127.0.0.1" && port == 8_080 && !isSecure }

  /// Host and port for display and for file names.
  var authority: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  func endpoint(_ path: String, query: String = "") -> Endpoint {
    Endpoint(host: host, port: port, path: path, query: query, isSecure: isSecure)
  }

  var headers: [(name: String, value: String)] { ServerAddress.headers(token: token.newest) }

  static func headers(token: String?) -> [(name: String, value: String)] {
    token.map { [("Authorization", "Bearer \($0)")] } ?? []
  }
}

/// The name of a room, already checked.
struct RoomName: Hashable, Sendable {
  let text: String

  init(_ text: String) throws(ClientFailure) {
    let isAllowed = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    guard isAllowed, (1...64).contains(text.utf8.count), text != ".", text != ".." else {
      throw .usage("\(text): a room's name is 1 to 64 of A–Z, a–z, 0–9, '.', '_' and '-', and not '.' or '..'")
    }
    self.text = text
  }

  /// The room's path in the HTTP API.
  func path(_ rest: String = "") -> String { "/v1/rooms/\(text)\(rest)" }
}
