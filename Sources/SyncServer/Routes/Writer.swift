import CanvasCRDT
import WebSocketLoop

/// A client that writes without a connection: on whose account, by which right, and as whom.
struct Writer: Sendable {
  let payer: Payer
  let token: String?
  /// The access that the token must give.
  var level: Grant.Level
  var actor: Identifier
}

/// Why something was not written.
enum WritingRefusal: Error {
  case rejected(Rejection)
  /// The room was not asked: the writer may not write to it, or not any more.
  case forbidden(Response)

  var response: Response {
    switch self {
    case .rejected(let rejection): .rejected(rejection)
    case .forbidden(let response): response
    }
  }
}

extension RoomService {
  /// The grant of a token. `nil` if there is none.
  func grant(of token: String?) -> Grant? { try? access(by: token) }

  /// Why somebody may not write to a room. To be asked when something is about to be written, and not only when it was asked
  /// for: meanwhile the token may have ended, and the room may have been locked.
  func refusal(of grant: Grant, writingTo room: String, needs level: Grant.Level = .editor) -> Response? {
    if let endsAt = grant.endsAt, now.wallMilliseconds >= endsAt { return .refusing(TokenRefusal.expired) }
    if let refusal = Response.refusal(grant, room: room, needs: level) { return refusal }
    return isLocked(room) && grant.level < .operator ? .locked : nil
  }

  func refusal(of writer: Writer, writingTo room: String) -> Response? {
    do throws(TokenRefusal) {
      return refusal(of: try access(by: writer.token), writingTo: room, needs: writer.level)
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

  /// The actor as whom a client writes over HTTP: its token's, or else one that stays the same for all that its token writes
  /// in a room, without tokens for all that its address does. So it can be seen, and taken back, as one person's.
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
