import CanvasCRDT
import WebSocketLoop

// What becomes of visitors when their tokens change or end.

extension Hub {
  /// The tokens and keys were read again. Visitors whose token is no longer valid are closed. So are visitors whose token
  /// now allows something else: they come back and get it.
  func take(_ tokens: Tokens?, _ signedTokens: SignedTokens?) {
    self.tokens = tokens
    self.signedTokens = signedTokens
    var gone = 0
    for visitor in visitors.all where !visitor.isGone {
      let now = grant(of: visitor.token)
      if let now, now.covers(visitor.room), now.role == visitor.grant.role {
        visitor.grant = now
        continue
      }
      gone += 1
      if now == nil {
        close(visitor, .noToken, "the token is no longer valid")
      } else if now?.covers(visitor.room) == false {
        close(visitor, .forbidden, Text("the token no longer gives access to room \(visitor.room)"))
      } else {
        close(visitor, .goingAway, "what the token allows has changed; connect again")
      }
    }
    logger.info(
      "tokens read",
      ["tokens": .init(tokens?.count ?? 0), "keys": .init(signedTokens?.count ?? 0), "closed": .init(gone)]
    )
  }

  /// Once a second: tells those whose token ends soon, and closes those whose token has ended.
  func lookAtEnds(now: Moment) {
    guard signedTokens != nil else { return }
    for visitor in visitors.all where !visitor.isGone {
      guard let endsAt = visitor.grant.endsAt else { continue }
      if now.wallMilliseconds >= endsAt {
        close(visitor, .noToken, "the token has expired")
      } else if now.wallMilliseconds + Hub.warningMilliseconds >= endsAt, !visitor.isWarned,
        case .joined(let open, let id) = visitor.stage
      {
        visitor.isWarned = true
        let words: Text = "the token expires within a minute; connect again with a new one"
        open.room.reply(.error(code: "token_expires", message: words), to: id)
        rooms.markDirty(open)
      }
    }
  }

  /// So long before the end, a client can get a new token and connect with it.
  private static let warningMilliseconds: UInt64 = 60_000
}
