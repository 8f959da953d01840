import CanvasCRDT
import WebSocketLoop

/// A client that writes over HTTP: its account, its right to write and its actor.
struct Writer: Sendable {
  let payer: Payer
  let token: String?
  /// The level of access that the client's token must have.
  var level: Grant.Level
  var actor: Identifier
}

/// Why a write failed.
enum WritingRefusal: Error {
  case rejected(Rejection)
  /// The room was not asked, because the writer may not write to it or has lost the right to.
  case forbidden(Response)

  var response: Response {
    switch self {
    case .rejected(let rejection): .rejected(rejection)
    case .forbidden(let response): response
    }
  }
}

extension RoomService {
  /// The grant of a token. `nil` if the token gives none.
  func grant(of token: String?) -> Grant? { try? access(by: token) }

  /// Why a client may not write to a room. `nil` if it may. To be checked right before writing too, because the token
  /// can expire, or the room can be locked, after the request has come.
  func refusal(of grant: Grant, writingTo room: String, needs level: Grant.Level = .editor) -> Response? {
    if let endsAt = grant.endsAt, now.wallMilliseconds >= endsAt { return .refusing(TokenRefusal.expired) }
    if let refusal = Response.refusal(grant, room: room, needs: level) { return refusal }
    return isLocked(room) && grant.level < .operator ? .locked : nil
  }

  func refusal(of writer: Writer, writingTo room: String) -> Response? {
    refusal(ofToken: writer.token, writingTo: room, needs: writer.level)
  }

  func refusal(ofToken token: String?, writingTo room: String, needs level: Grant.Level = .editor) -> Response? {
    do throws(TokenRefusal) {
      return refusal(of: try access(by: token), writingTo: room, needs: level)
    } catch {
      return .refusing(error)
    }
  }

  func writer(
    of request: Request,
    with grant: Grant,
    in room: String,
    needs level: Grant.Level = .editor
  ) -> Writer {
    let payer = Payer(address: party(of: request), token: grant.account)
    return Writer(payer: payer, token: request.token, level: level, actor: actor(of: payer, grant, in: room))
  }

  /// The actor of a client that writes over HTTP: the actor that the client's token names, if it names one. Otherwise
  /// an actor that is always the same for this token and room or, without tokens, for this address and room. So these
  /// writes can be seen, and reverted, as one person's work.
  private func actor(of payer: Payer, _ grant: Grant, in room: String) -> Identifier {
    let bearer =
      switch payer.token {
      case .token(let token): "token \(token)"
      case .subject(let subject): "subject \(subject)"
      case nil: "address \(payer.address)"
      }
    return grant.actor ?? keys.actor(of: bearer, in: Text(room))
  }
}
