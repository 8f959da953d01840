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
      switch visitor.grant.change(to: now, in: visitor.room) {
      case .none:
        if let now { visitor.grant = now }
        continue
      case .ended: close(visitor, .noToken, "the token is no longer valid")
      case .elsewhere:
        close(visitor, .forbidden, Text("the token no longer gives access to room \(visitor.room)"))
      case .otherLevel: close(visitor, .goingAway, "what the token allows has changed; connect again")
      }
      gone += 1
    }
    logger.info(
      "tokens read",
      ["tokens": .init(tokens?.count ?? 0), "keys": .init(signedTokens?.count ?? 0), "closed": .init(gone)]
    )
  }

  /// A visitor brings another token, so that it can stay when its own ends. It goes on as who it is: another role or actor
  /// would take another hello.
  func take(_ token: String, from visitor: Visitor, in open: OpenRoom, _ id: MemberID) {
    defer { rooms.markDirty(open) }
    func refuse(_ words: Text) {
      open.room.reply(.error(code: "token_refused", message: words), to: id)
      noteRefusal(Refusal("token_refused", of: visitor, words.string))
    }
    guard let grant = grant(of: token) else { return refuse("the token is not valid") }
    guard grant.covers(visitor.room) else {
      return refuse(Text("the token gives no access to room \(visitor.room)"))
    }
    guard grant.level == visitor.grant.level, grant.actor == nil || grant.actor == visitor.actor else {
      return refuse("the token is for another role or another actor: connect anew with it")
    }
    visitor.takes(asksForTokens ? token : nil, grant)
    noteChange(of: visitor)
    open.room.reply(.token(until: grant.endsAt), to: id)
    recordRenewal(of: visitor)
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
        let words: Text = "the token expires within a minute; send a new one"
        open.room.reply(.error(code: "token_expires", message: words), to: id)
        rooms.markDirty(open)
      }
    }
  }

  /// So long before the end, a client can get a new token and connect with it.
  private static let warningMilliseconds: UInt64 = 60_000
}
