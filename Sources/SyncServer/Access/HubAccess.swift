import CanvasCRDT
import WebSocketLoop

// Tokens at the door. Without a file of them the door is open.

extension Hub {
  /// What a request may do; nothing where it has no token that we know.
  func grant(for request: Request) -> Grant? {
    guard let tokens else { return .everything }
    return request.token.flatMap { tokens.grant(of: $0) }
  }

  /// The file was read anew. Who would no longer be let in has to go, and who may now do something else comes back for it.
  func take(_ tokens: Tokens) {
    self.tokens = tokens
    var gone = 0
    for client in clients {
      guard let client else { continue }
      if case .gone = client.stage { continue }
      let now = client.token.flatMap { tokens.grant(of: $0) }
      if let now, now.covers(client.room), now.role == client.grant.role {
        client.grant = now
        continue
      }
      gone += 1
      if now == nil {
        close(client, .noToken, "the token is no longer valid")
      } else if now?.covers(client.room) == false {
        close(client, .forbidden, "the token is no longer for this room")
      } else {
        close(client, .goingAway, "what the token allows has changed; come back")
      }
    }
    logger.info("tokens read", ["tokens": .init(tokens.count), "closed": .init(gone)])
  }

  /// Why a request of the interface is not answered, where it isn't.
  /// - Parameter room: the one that it is about, if it is about one.
  static func refusal(_ grant: Grant, room: String?, needs level: Grant.Level) -> Response? {
    if let room, !grant.covers(room) {
      return .error(403, code: "forbidden", message: "this token is not for this room")
    }
    guard grant.level < level else { return nil }
    return level == .editor
      ? .error(403, code: "read_only", message: "this token may only look on")
      : .error(403, code: "forbidden", message: "this takes an operator's token")
  }

  static let noToken: Response = {
    var response = Response.error(
      401,
      code: "no_token",
      message: "send a valid token: Authorization: Bearer TOKEN, or ?token=TOKEN"
    )
    response.headers.append(("WWW-Authenticate", "Bearer"))
    return response
  }()
}

extension Request {
  /// `Authorization: Bearer T`, or `?token=T` for browsers, whose sockets can't send the header.
  var token: String? {
    if let authorization = header("authorization") {
      let words = authorization.split(separator: " ", maxSplits: 1)
      if words.count == 2, words[0].lowercased() == "bearer" {
        return words[1].filter { $0 != " " }
      }
    }
    // No token has a space, so this was a `+` that nobody escaped.
    return parameter("token").map { String($0.map { $0 == " " ? "+" : $0 }) }
  }
}
