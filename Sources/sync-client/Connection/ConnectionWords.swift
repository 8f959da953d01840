import CanvasCRDT
import WebSocketLoop

/// Messages for the user that say why a room can't be reached.
enum ConnectionWords {
  static let noToken = "the server wants a valid token (--token, --token-file or CANVAS_TOKEN)"

  /// - Parameter room: the requested room, if there was one.
  static func forbidden(_ room: String?) -> String {
    "this token doesn't give access" + (room.map { " to room \($0)" } ?? "")
  }

  static let unavailable = "the server can't answer yet (HTTP status 503)"

  /// The message when no server answers. If the user named no server, it also says how to start one.
  static func nobody(_ server: ServerAddress) -> String {
    server.isStandard
      ? "no server answers there; start one with make run, or name another with --server or CANVAS_SERVER"
      : "no server answers there"
  }

  /// - Parameter why: OpenSSL's message.
  static func untrusted(_ why: String) -> String {
    "its certificate is not trusted: \(why) (to trust it, name it in SSL_CERT_FILE)"
  }

  static func whyNot(
    _ server: ServerAddress,
    _ room: RoomName,
    finalCode: UInt16?,
    _ closure: Closure?,
    lastError: String?
  ) -> String {
    let place = "\(room.text) on \(server.authority)"
    if let finalCode {
      switch CloseCode(rawValue: finalCode) {
      case .noToken: return "\(place): \(noToken)" + (lastError.map { ": \($0)" } ?? "")
      case .forbidden: return "\(server.authority): \(lastError ?? forbidden(room.text))"
      case .noSuchRoom: return "\(place): there is no such room"
      case .actorElsewhere: return "\(place): the person whom the token names is there on another connection"
      default: return "\(place): \(lastError ?? "the server refused the connection") (\(finalCode))"
      }
    }
    guard let closure else { return "\(place): no answer" }
    switch closure.cause {
    case .refused(401): return "\(place): \(noToken)"
    case .refused(403): return "\(server.authority): \(forbidden(room.text))"
    case .refused(503): return "\(place): \(unavailable)"
    case .refused(let status) where status != 0 && status != 101:
      return "\(place): the server answered with HTTP status \(status)"
    case .untrusted: return "\(server.authority): \(untrusted(closure.reason))"
    case .refused where server.isSecure:
      return "\(server.authority): no server answers there, or it doesn't speak TLS"
    case .refused: return "\(server.authority): \(nobody(server))"
    case .peer, .ours, .lost:
      let why = lastError ?? (closure.reason.isEmpty ? "the connection was lost" : closure.reason)
      return "\(place): \(why) (\(closure.code))"
    }
  }
}
