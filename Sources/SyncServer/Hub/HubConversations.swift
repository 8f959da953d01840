import CanvasCRDT
import WebSocketLoop

// Messages from visitors, and what is sent to them.

extension Hub {
  func take(_ message: Message, from connection: any ServerConnection) {
    guard let visitor = visitors[connection.tag], !visitor.isGone, !isStopping else { return }
    counts.noteMessage()
    let now = now
    perform(visitor.conversation.received(message.bytes, isText: message.isText, now: now), for: visitor, now: now)
    letRest(visitor)
  }

  func countPing(of connection: any ServerConnection) {
    guard let visitor = visitors[connection.tag], !visitor.isGone else { return }
    visitor.conversation.pinged(now: now)
    letRest(visitor)
  }

  private func letRest(_ visitor: Visitor) {
    guard let milliseconds = visitor.conversation.takeRest() else { return }
    visitor.rests(milliseconds: milliseconds, on: loop)
  }

  func perform(_ step: ConversationStep, for visitor: Visitor, now: Moment) {
    switch step {
    case .nothing: return
    case .join(let hello, let role):
      if let open = rooms[visitor.room], !hasToCatchUp(open, visitor, hello) {
        visitor.begins(as: hello.actor)
        join(visitor, open, hello, role)
      } else {
        visitor.begins(as: hello.actor, opening: job { await self.openAndJoin(visitor, hello, role) })
        visitor.pauseReading(.opening)
      }
    case .close(let code, let reason): close(visitor, code, reason)
    case .session(let step):
      if let (open, id) = visitor.place(for: step) { perform(step, for: visitor, in: open, id, now: now) }
    }
  }

  private func perform(_ step: SessionStep, for visitor: Visitor, in open: OpenRoom, _ id: MemberID, now: Moment) {
    switch step {
    case .submit(let submission):
      // The token is checked at each write too, because the timer that closes connections with expired tokens fires
      // only once a second.
      if let refusal = refusal(of: visitor.grant, writingTo: visitor.room) {
        let hasToken = refusal.status != 401
        return close(visitor, hasToken ? .goingAway : .noToken, "this connection may no longer write; connect again")
      }
      // Only the newest stamp shows how far the writer's clock is off, because edits made offline have old stamps.
      if let newest = submission.operations.lazy.compactMap({ $0.at?.milliseconds }).max() {
        counts.noteClock(newest, now: now.wallMilliseconds)
      }
      let allowance = allowance(of: visitor.payer, in: open, now: now)
      if let rejection = change(open, { $0.submit(submission, from: id, allowance: allowance, now: now) }) ?? nil {
        refusals.write(Refusal(rejection, of: visitor))
      }
    case .presence(let state): change(open) { $0.presence(state, from: id, now: now) }
    case .digest: change(open) { $0.digest(for: id, now: now) }
    case .token(let token): take(token.string, from: visitor, in: open, id)
    case .reply(var message):
      if case .rejection(var rejection) = message {
        // The token allows writing, so the only reason for the refusal is that the room is locked.
        if rejection.code == .readOnly, visitor.grant.level == .editor, isLocked(visitor.room) {
          rejection.message = "the room is locked: only operators may write"
          message = .rejection(rejection)
        }
        refusals.write(Refusal(rejection, of: visitor))
      }
      change(open) { $0.reply(message, to: id) }
    }
  }

  // MARK: Joining

  private func openAndJoin(_ visitor: Visitor, _ hello: Hello, _ role: Role) async {
    let party = visitor.connection.party
    var opening = await opened(visitor.room, mayCreate: true, for: party)
    if case .open(let open) = opening, hasToCatchUp(open, visitor, hello) {
      // This copy of the room might lack changes that the client has seen. If the client joined now, these changes
      // would vanish from its screen.
      if let fault = await catchUp(open), open.room.isBehind(hello.since) { opening = .failed(fault) }
      if open.isGone { opening = await opened(visitor.room, mayCreate: true, for: party) }
    }
    guard case .joining = visitor.stage else { return }
    switch opening {
    case .open(let open):
      visitor.resumeReading(.opening)
      join(visitor, open, hello, role)
    case .absent, .full: close(visitor, .tooMany, "the server has too many rooms open")
    case .failed(let words): close(visitor, .goingAway, Text(words), error: "unavailable")
    }
  }

  /// Whether this node might lack records that the client has seen or written at another node. If so, the node has to
  /// read them before the client joins. Otherwise its clock could be behind the client's own stamps.
  private func hasToCatchUp(_ open: OpenRoom, _ visitor: Visitor, _ hello: Hello) -> Bool {
    if open.room.isBehind(hello.since) { return true }
    return sharesRooms && log.fault == nil && (hello.actor ?? visitor.grant.actor) != nil
  }

  private func join(_ visitor: Visitor, _ open: OpenRoom, _ hello: Hello, _ role: Role) {
    let now = now
    let encoding = visitor.conversation.encoding
    var hello = hello
    if let name = visitor.grant.name { hello.name = Text(name) }
    if let actor = visitor.grant.actor {
      hello.actor = actor
      // The token names this actor, which proves as much as the actor's key. So the key is filled in.
      hello.key = keys.key(of: actor, in: open.room.name)
    } else if credentials.signed != nil, hello.key == nil {
      // With signed tokens, a claimed actor might belong to somebody who is not connected now. So a client without a
      // key doesn't get the actor that it claims.
      hello.actor = nil
    }
    let party = visitor.connection.party
    // An older connection of the same actor is closed first, as an effect. The newcomer might have been given that
    // connection's seat (the index of a member in the room).
    let joined = changeAtOnce(open) {
      $0.join(
        hello,
        role: role,
        encoding: encoding,
        party: party,
        keys: keys,
        now: now,
        using: &generator
      )
    }
    guard let id = joined ?? nil else {
      close(visitor, .tooMany, "too many people are in this room")
      return
    }
    let actor = open.room.actor(of: id)
    guard let waiting = visitor.joins(open, id, as: actor) else { return }
    seat(visitor, id, in: open)
    // The room might have asked to pause reading before the visitor had a seat, because the answer to `hello` is long.
    if open.room.hasPausedReading(from: id) { visitor.pauseReading(.backlog) }
    if joinLines.takes(visitor.address) {
      logger.info(
        "joined",
        [
          "room": .text(open.name), "actor": .init(actor?.text), "token": .init(visitor.grant.label),
          "address": .text(visitor.address), "encoding": .text(encoding == .json ? "json" : "binary"),
          "peers": .init(open.room.memberCount),
        ]
      )
    }
    if let name = open.room.audience.member(id)?.peer.name { recordEntry(of: visitor, name: name, as: role) }
    for step in waiting {
      guard visitor.place(for: step) != nil else { return }
      perform(step, for: visitor, in: open, id, now: now)
    }
  }

  // MARK: Sending

  func resume(_ connection: any ServerConnection) {
    guard let visitor = visitors[connection.tag], case .joined(let open, let id) = visitor.stage else { return }
    change(open) { $0.writable(id, now: now) { self.write($1, to: $0, of: open) } }
  }

  func write(_ bytes: UnsafeRawBufferPointer, to id: MemberID, of open: OpenRoom) -> Int {
    guard let taken = open.visitor(id)?.write(bytes, turn: turns.number) else { return 0 }
    counts.noteWrite()
    return taken
  }
}
