import CanvasCRDT
import WebSocketLoop

// Messages from sessions, and what is sent to them.

extension Hub {
  func take(_ message: Message, from connection: any ServerConnection) {
    guard let session = sessions[connection.tag], !isStopping else { return }
    do throws(Closing) { try take(message, from: session, now: now) } catch {
      close(session, error.code, error.reason)
    }
    letRest(session)
  }

  private func take(_ message: Message, from session: Session, now: Moment) throws(Closing) {
    switch session.stage {
    case .waiting:
      counts.noteMessage()
      let (hello, role) = try session.conversation.hello(message.bytes, isText: message.isText, now: now)
      if let open = rooms[session.room], !hasToCatchUp(open, session, hello) {
        join(session, open, hello, role)
      } else {
        session.awaits(job { await self.openAndJoin(session, hello, role) })
        session.pauseReading(.opening)
      }
    case .here(let role, let open, let id):
      counts.noteMessage()
      let step = try session.conversation.step(message.bytes, isText: message.isText, as: role, now: now)
      perform(step, for: session, in: open, id, now: now)
    case .joining: assertionFailure("reading is paused")
    case .gone: break
    }
  }

  func countPing(of connection: any ServerConnection) {
    guard let session = sessions[connection.tag], !session.isGone else { return }
    session.conversation.pinged(now: now)
    letRest(session)
  }

  private func letRest(_ session: Session) {
    guard !session.isGone, let milliseconds = session.conversation.takeRest() else { return }
    session.rests(milliseconds: milliseconds, on: loop)
  }

  private func perform(_ step: SessionStep, for session: Session, in open: OpenRoom, _ id: MemberID, now: Moment) {
    switch step {
    case .submit(let submission):
      // The token is checked at each write too, because the timer that closes connections with expired tokens fires
      // only once a second.
      if let refusal = refusal(of: session.grant, writingTo: session.room) {
        let hasToken = refusal.status != 401
        return close(session, hasToken ? .goingAway : .noToken, "this connection may no longer write; connect again")
      }
      // Only the newest stamp shows how far the writer's clock is off, because edits made offline have old stamps.
      if let newest = submission.operations.lazy.compactMap({ $0.at?.milliseconds }).max() {
        counts.noteClock(newest, now: now.wallMilliseconds)
      }
      let allowance = allowance(of: session.payer, in: open, now: now)
      let rejection = change(open) { $0.submit(submission, from: id, allowance: allowance, now: now) }
      // A new room is paid for at once. Otherwise all rooms that one address makes in this iteration would meet the
      // same account.
      if open.isUnpaid { carryOutEffects(of: open) }
      if let rejection = rejection ?? nil { journal.write(Refusal(rejection, of: session)) }
    case .presence(let state): change(open) { $0.presence(state, from: id, now: now) }
    case .digest: change(open) { $0.digest(for: id, now: now) }
    case .token(let token): take(token.string, from: session, in: open, id)
    case .reply(var message):
      if case .rejection(var rejection) = message {
        // The token allows writing, so the only reason for the refusal is that the room is locked.
        if rejection.code == .readOnly, session.grant.level == .editor, isLocked(session.room) {
          rejection.message = "the room is locked: only operators may write"
          message = .rejection(rejection)
        }
        journal.write(Refusal(rejection, of: session))
      }
      change(open) { $0.reply(message, to: id) }
    }
  }

  // MARK: Joining

  private func openAndJoin(_ session: Session, _ hello: Hello, _ role: Role) async {
    let party = session.connection.party
    var opening = await opened(session.room, mayCreate: true, for: party)
    if case .open(let open) = opening, hasToCatchUp(open, session, hello) {
      // This copy of the room might lack changes that the client has seen. If the client joined now, these changes
      // would vanish from its screen.
      if let fault = await catchUp(open), open.room.isBehind(hello.since) { opening = .failed(fault) }
      if open.isGone { opening = await opened(session.room, mayCreate: true, for: party) }
    }
    guard case .joining = session.stage else { return }
    switch opening {
    case .open(let open):
      session.resumeReading(.opening)
      join(session, open, hello, role)
    case .absent, .full: close(session, .tooMany, "the server has too many rooms open")
    case .failed(let words): close(session, .goingAway, Text(words), error: "unavailable")
    }
  }

  /// Whether this node might lack records that the client has seen or written at another node. If so, the node has to
  /// read them before the client joins. Otherwise its clock could be behind the client's own stamps.
  private func hasToCatchUp(_ open: OpenRoom, _ session: Session, _ hello: Hello) -> Bool {
    if open.room.isBehind(hello.since) { return true }
    return sharesRooms && log.fault == nil && (hello.actor ?? session.grant.actor) != nil
  }

  private func join(_ session: Session, _ open: OpenRoom, _ hello: Hello, _ role: Role) {
    let now = now
    let encoding = session.conversation.encoding
    var hello = hello
    if let name = session.grant.name { hello.name = Text(name) }
    if let actor = session.grant.actor {
      hello.actor = actor
      // The token names this actor, which proves as much as the actor's key. So the key is filled in.
      hello.key = keys.key(of: actor, in: open.room.name)
    } else if credentials.signed != nil, hello.key == nil {
      // With signed tokens, a claimed actor might belong to somebody who is not connected now. So a client without a
      // key doesn't get the actor that it claims.
      hello.actor = nil
    }
    if let actor = hello.actor, let there = cluster?.neighbours.role(of: actor, in: open.name),
      hello.key == nil || role == .viewer && there == .editor
    {
      // A room in which nobody is connected to this node doesn't keep a list of the people at other nodes.
      hello.actor = nil
    }
    let party = session.connection.party
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
      close(session, .tooMany, "too many people are in this room")
      return
    }
    let actor = open.room.actor(of: id)
    session.actor = actor
    session.joined(open, as: role, id)
    open.seat(session, id)
    if hello.overlaps { waitForOverlaps(of: open, party) }
    // The room might have asked to pause reading before the session had a seat, because the answer to `hello` is long.
    if open.room.hasPausedReading(from: id) { session.pauseReading(.backlog) }
    journal.noteJoin(
      from: session.address,
      [
        "room": .text(open.name), "actor": .init(actor?.text), "token": .init(session.grant.label),
        "address": .text(session.address), "encoding": .text(encoding == .json ? "json" : "binary"),
        "peers": .init(open.room.memberCount),
      ]
    )
    if let name = open.room.audience.member(id)?.peer.name { recordEntry(of: session, name: name, as: role) }
  }

  // MARK: Sending

  func resume(_ connection: any ServerConnection) {
    guard let session = sessions[connection.tag], case .here(_, let open, let id) = session.stage else { return }
    // When the time is up, the others are asked again in the next iteration. Otherwise many slow readers that take bytes
    // again at the same moment would keep everyone waiting.
    guard turns.mayResume(at: clocks.steadyMicroseconds()) else { return connection.notifyWhenWritable() }
    change(open) { $0.writable(id, now: now) { self.write($1, to: $0, of: open) } }
  }

  func write(_ bytes: UnsafeRawBufferPointer, to id: MemberID, of open: OpenRoom) -> Int {
    guard let taken = open.session(id)?.write(bytes, turn: turns.number) else { return 0 }
    counts.noteWrite()
    return taken
  }
}
