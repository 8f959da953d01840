import WebSocketLoop

/// Why a room can't be reached, in words.
enum ConnectionWords {
  static let noToken = "the server wants a valid token (--token or CANVAS_TOKEN)"

  static func whyNot(
    _ server: ServerAddress,
    _ room: RoomName,
    finalCode: UInt16?,
    _ closure: Closure?,
    lastError: String?
  ) -> String {
    let place = "\(room.text) on \(server.authority)"
    if let finalCode {
      switch finalCode {
      case 4_401: return "\(place): \(noToken)"
      case 4_403: return "\(place): this token may not"
      case 4_404: return "\(place): there is no such room"
      default: return "\(place): \(lastError ?? "the server will not have us") (\(finalCode))"
      }
    }
    guard let closure else { return "\(place): no answer" }
    switch closure.cause {
    case .refused(401): return "\(place): \(noToken)"
    case .refused(403): return "\(place): this token may not"
    case .refused(let status) where status != 0 && status != 101:
      return "\(place): the server answered with HTTP status \(status)"
    case .refused: return "\(server.authority): no server answers there"
    case .peer, .ours, .lost:
      let why = lastError ?? (closure.reason.isEmpty ? "the connection was lost" : closure.reason)
      return "\(place): \(why) (\(closure.code))"
    }
  }
}
