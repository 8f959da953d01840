import CanvasCRDT
import WebSocketLoop

// How sessions leave: by themselves, or because the server closes them.

extension Hub {
  /// Tells the client the reason, and closes the connection.
  /// - Parameter error: the code word of the error that is sent first. By default it is the code's own, if it has one.
  func close(_ session: Session, _ code: CloseCode, _ reason: Text, error: String? = nil) {
    let error = error ?? code.errorWord
    if let error { noteRefusal(Refusal(error, of: session, reason.string)) }
    // After a message that was sent only in part, only a close frame may follow, so no error is sent.
    let isBetweenMessages = leave(session)
    sayGoodbye([goodbye(to: session, code, reason, error: isBetweenMessages ? error : nil)])
  }

  /// From now on, nothing that the session sends is taken.
  /// - Parameter error: the code word of an error that is sent first. `nil` for none.
  /// - Returns: what is left to do: to tell the client, and to close the connection.
  func goodbye(to session: Session, _ code: CloseCode, _ reason: Text, error: String?) -> Goodbye {
    counts.noteClose(code: code.rawValue)
    session.goes()
    return Goodbye(session: session, code: code, reason: reason, error: error)
  }

  /// The first few connections are closed at once. Each close is two system calls, and a room can have thousands of
  /// connections, so the others are closed in later jobs of the loop.
  func sayGoodbye(_ goodbyes: [Goodbye]) {
    for goodbye in goodbyes.prefix(Hub.closedInAJob) { goodbye.say() }
    let others = Array(goodbyes.dropFirst(Hub.closedInAJob))
    if !others.isEmpty { loop.execute { self.assumeIsolated { $0.sayGoodbye(others) } } }
  }

  /// Calls `treat` for each session that is still connected when its turn comes. One job of the loop handles only a few
  /// sessions, so that other work can run in between.
  func inPortions(_ sessions: [Session], _ treat: (Session) -> Void) async {
    for (index, session) in sessions.enumerated() {
      if index % Hub.closedInAJob == Hub.closedInAJob - 1 { await letOthersGoFirst() }
      if !session.isGone { treat(session) }
    }
  }

  /// How many connections are closed in one job of the loop, if many are closed for one reason.
  static let closedInAJob = 16

  /// The loop is about to close a connection on its own: a message was too long or not UTF-8, or the client has been
  /// silent for too long.
  func noteClosing(_ connection: any ServerConnection, code: UInt16, reason: String) {
    guard let session = sessions[connection.tag], !session.isGone, let code = CloseCode(rawValue: code) else { return }
    close(session, code, Text(reason))
  }

  func forget(_ connection: any ServerConnection, closure: Closure) {
    guard let session = sessions[connection.tag] else { return sessions.forgetTurnedAway(connection.party) }
    // If the hub closed the connection itself, the close has been counted already.
    if !session.isGone, closure.cause == .ours {
      // The client broke the protocol, so the loop closed the connection without a message.
      counts.noteClose(code: closure.code)
      let word = CloseCode(rawValue: closure.code)?.word ?? "closed"
      noteRefusal(Refusal(word, of: session, closure.reason))
    }
    leave(session)
    session.goes()
    sessions.remove(connection.tag)
    logger.debug(
      "disconnected",
      ["room": .text(session.room), "address": .text(session.address), "code": .init(closure.code)]
    )
    if lifetime.stage == .closing { goOnStopping() }
  }

  /// Takes a session out of its room.
  /// - Returns: false if the last message to the session was sent only in part.
  @discardableResult
  private func leave(_ session: Session) -> Bool {
    guard case .here(_, let open, let id) = session.stage else { return true }
    open.unseat(id)
    return change(open) { $0.leave(id, now: now) } ?? true
  }
}

/// A connection that has to be closed. Its session has left already.
struct Goodbye: Sendable {
  let session: Session
  let code: CloseCode
  let reason: Text
  /// The code word of an error that the client is sent first.
  let error: String?

  func say() {
    if let error { session.connection.send(error: error, reason, session.conversation.encoding) }
    session.connection.close(code: code.rawValue, reason: reason.string)
  }
}
