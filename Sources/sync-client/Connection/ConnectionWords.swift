import CanvasCRDT
import WebSocketLoop

/// Why a room can't be reached, in words.
enum ConnectionWords {
  static let noToken = "the server wants a valid token (--token or CANVAS_TOKEN)"

  /// With what to do about it, where nobody said which server was meant.
  static func nobody(_ server: ServerAddress) -> String {
    server.isStandard
      ? "no server answers there; make run starts one, --server or CANVAS_SERVER names another"
      : "no server answers there"
  }

  /// - Parameter why: OpenSSL's words.
  static func untrusted(_ why: String) -> String {
    "its certificate is not trusted: \(why) (SSL_CERT_FILE names one to trust)"
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
      case .noToken: return "\(place): \(noToken)"
      case .forbidden: return "\(place): this token may not"
      case .noSuchRoom: return "\(place): there is no such room"
      default: return "\(place): \(lastError ?? "the server will not have us") (\(finalCode))"
      }
    }
    guard let closure else { return "\(place): no answer" }
    switch closure.cause {
    case .refused(401): return "\(place): \(noToken)"
    case .refused(403): return "\(place): this token may not"
    case .refused(let status) where status != 0 && status != 101:
      return "\(place): the server answered with HTTP status \(status)"
    case .untrusted: return "\(server.authority): \(untrusted(closure.reason))"
    case .refused where server.isSecure:
      return "\(server.authority): no server answers there, or none that speaks TLS"
    case .refused: return "\(server.authority): \(nobody(server))"
    case .peer, .ours, .lost:
      let why = lastError ?? (closure.reason.isEmpty ? "the connection was lost" : closure.reason)
      return "\(place): \(why) (\(closure.code))"
    }
  }
}
