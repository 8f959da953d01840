import CanvasCRDT
import WebSocketLoop

// What happens to sessions when their tokens change or expire.

extension Hub {
  /// Applies reloaded tokens and keys. New sessions are checked against them from now on. Connected sessions are
  /// checked on another thread, because checking thousands of signatures takes seconds.
  func take(_ credentials: Credentials) {
    let reading = self.credentials.reading + 1
    self.credentials = credentials
    self.credentials.reading = reading
    let tokens = Set(sessions.all.compactMap { $0.isGone ? nil : $0.token })
    let now = now.wallMilliseconds
    job {
      let grants = try? await heavyWork.run(for: "", isBounded: false) {
        var grants: [String: Grant] = [:]
        for token in tokens { grants[token] = try? credentials.access(by: token, at: now) }
        return grants
      }
      // If the tokens were reloaded again meanwhile, that reload starts a check of all sessions.
      guard let grants, let closed = await judge(by: grants, of: tokens, reading) else { return }
      logger.info(
        "tokens read",
        [
          "tokens": .init(credentials.tokens?.count ?? 0), "keys": .init(credentials.signed?.count ?? 0),
          "closed": .init(closed),
        ]
      )
    }
  }

  /// Closes sessions whose token is no longer valid or now grants something else. When they reconnect, they get the new
  /// grant.
  /// - Parameter tokens: the tokens that were checked. A session with any other token sent it later, and was checked
  ///   then.
  /// - Returns: how many were closed. `nil` if the tokens were reloaded again meanwhile.
  private func judge(by grants: [String: Grant], of tokens: Set<String>, _ reading: Int) async -> Int? {
    var closed = 0
    await inPortions(sessions.all) { session in
      guard reading == credentials.reading, let token = session.token, tokens.contains(token) else { return }
      let now = grants[token]
      switch session.grant.change(to: now, in: session.room) {
      case .none:
        if let now { session.grant = now }
        return
      case .ended: close(session, .noToken, "the token is no longer valid")
      case .elsewhere:
        close(session, .forbidden, Text("the token no longer gives access to room \(session.room)"))
      case .otherLevel: close(session, .goingAway, "what the token allows has changed; connect again")
      }
      closed += 1
    }
    return reading == credentials.reading ? closed : nil
  }

  /// Accepts a new token from a connected session, so that the session can stay when its first token expires. The
  /// session keeps its role, its actor and the name that its token gives. Only another `hello` changes those. What the
  /// token before it proves, and the one that counted at `hello`, the new one must prove too, unless it has the
  /// subject of the one before it: otherwise one bearer would go on as another.
  func take(_ token: String, from session: Session, in open: OpenRoom, _ id: MemberID) {
    func refuse(_ words: Text, reason: String? = nil) {
      change(open) { $0.reply(.error(code: "token_refused", message: words), to: id) }
      noteRefusal(Refusal("token_refused", of: session, reason ?? words.string))
    }
    let grant: Grant
    do throws(TokenRefusal) { grant = try access(by: token) } catch {
      return refuse(Text(error.told), reason: error.reason)
    }
    guard grant.covers(session.room) else {
      return refuse(Text("the token gives no access to room \(session.room)"))
    }
    let isSamePerson =
      grant.account == session.grant.account
      || [session.grant, session.grantAtHello].allSatisfy { earlier in
        (earlier.actor == nil || grant.actor == earlier.actor) && (earlier.name == nil || grant.name == earlier.name)
      }
    guard grant.level == session.grant.level, grant.actor == nil || grant.actor == session.actor, isSamePerson else {
      return refuse("the token is for another role or another person: connect anew with it")
    }
    session.takes(credentials.areAskedFor ? token : nil, grant)
    change(open) {
      $0.tellAgain(id)
      $0.reply(.token(until: grant.endsAt), to: id)
    }
    record("renewed", of: session)
  }

  /// Warns sessions whose token expires soon, and closes those whose token has expired. To be called once a second.
  func lookAtEnds(now: Moment) {
    guard credentials.signed != nil else { return }
    let ending = sessions.all.filter { ($0.grant.endsAt ?? .max) <= now.wallMilliseconds + Hub.warningMilliseconds }
    guard !ending.isEmpty else { return }
    job { await inPortions(ending) { lookAtEnd(of: $0, now: now) } }
  }

  private func lookAtEnd(of session: Session, now: Moment) {
    // The session might have sent another token meanwhile.
    guard let endsAt = session.grant.endsAt else { return }
    if now.wallMilliseconds >= endsAt {
      close(session, .noToken, "the token has expired")
    } else if now.wallMilliseconds + Hub.warningMilliseconds >= endsAt, !session.isWarned,
      case .here(_, let open, let id) = session.stage
    {
      session.isWarned = true
      let words: Text = "the token expires within a minute; send a new one"
      change(open) { $0.reply(.error(code: "token_expires", message: words), to: id) }
    }
  }

  /// A client is warned this long before its token expires, so that it can get another token.
  private static let warningMilliseconds: UInt64 = 60_000
}
