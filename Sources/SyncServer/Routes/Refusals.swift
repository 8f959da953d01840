import CanvasCRDT
import WebSocketLoop

// The answers that refuse a request, and why.

extension Response {
  /// The request can't be served now, and probably can be served later.
  static func unavailable(_ words: String) -> Response { unreadable(words).retried(afterSeconds: 1) }

  /// A room can't be opened, or its history can't be read. The data may be damaged, so the client isn't told to try
  /// again.
  static func unreadable(_ words: String) -> Response { error(503, code: "unavailable", message: words) }

  static let tooManyConnections = unavailable("the server has too many HTTP connections")
  static let tooManyFromAddress = error(
    429,
    code: "too_many",
    message: "too many HTTP connections from your address"
  ).retried(afterSeconds: 1)

  static let tooFast = error(
    429,
    code: "rate_limited",
    message: "too many operations a second from your address"
  ).retried(afterSeconds: 1)

  static let awaitingLog = unavailable("the server is waiting for the place where its rooms are; try again")

  static let notFound = error(404, code: "not_found", message: "there is nothing here")
  static let noSuchName = error(
    404,
    code: "no_such_room",
    message: RoomName.words
  )
  /// The room existed when the request began. If the client asks again, it learns what has become of the room.
  static let roomIsGone = unavailable(Rejection.roomIsGone.message.string)
  static let noSuchRoom = error(404, code: "no_such_room", message: "nobody has written to this room")

  static func refusing(_ fault: Sites.Fault) -> Response {
    switch fault {
    case .unknownHost: error(421, code: "unknown_host", message: fault.words)
    case .foreignOrigin: error(403, code: "foreign_origin", message: fault.words)
    }
  }

  static func notAllowed(_ methods: [String]) -> Response {
    let methods = methods.joined(separator: ", ")
    var response = error(405, code: "method_not_allowed", message: "use \(methods)")
    response.headers.append(("Allow", methods))
    return response
  }
  static let notJSON = error(415, code: "unsupported_media_type", message: "send application/json")
  static let tooManyRooms = unavailable("the server has too many rooms open")

  /// Why a request under `/v1` is refused. `nil` if it is allowed.
  /// - Parameter room: the room of the request, if it has one.
  static func refusal(_ grant: Grant, room: String?, needs level: Grant.Level) -> Response? {
    if let room, !grant.covers(room) {
      return error(403, code: "forbidden", message: "this token doesn't give access to room \(room)")
    }
    guard grant.level < level else { return nil }
    return level == .editor
      ? error(403, code: "read_only", message: "this token is read-only")
      : error(403, code: "forbidden", message: "this needs an operator's token")
  }

  static func refusing(_ refusal: TokenRefusal) -> Response {
    var response = error(401, code: "no_token", message: refusal.told, reason: refusal.reason)
    response.headers.append(("WWW-Authenticate", "Bearer"))
    return response
  }
}

extension Request {
  var isReading: Bool { method == "GET" || method == "HEAD" }

  /// The room that the path names, if it names one.
  var room: String? {
    let parts = pathParts
    guard parts.count >= 3, parts[0] == "v1", parts[1] == "rooms", RoomName.isValid(parts[2]) else { return nil }
    return parts[2]
  }
}

extension Rejection {
  /// The refusal of operations in a room that was deleted, or closed because the log failed.
  static let roomIsGone = Rejection(code: .unavailable, message: "the room has been closed; try again")
}
