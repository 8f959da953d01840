import CanvasCRDT
import WebSocketLoop

// Visitors go, by themselves or because they have to.

extension Hub {
  /// Says why, and goodbye.
  /// - Parameter error: what went wrong, in a word, where it isn't what the code says.
  func close(_ visitor: Visitor, _ code: CloseCode, _ reason: Text, error: String? = nil) {
    // A visitor who is only to come back has done nothing wrong.
    let error = error ?? (code == .goingAway ? nil : code.word)
    if let error { noteRefusal(error, address: visitor.address, reason: reason.string) }
    // A message of several frames may have been sent in part; nothing but the goodbye may come between.
    let isBetweenMessages = leave(visitor)
    sayGoodbye(to: visitor, code, reason, error: isBetweenMessages ? error : nil)
  }

  /// To one who is in no room any more.
  /// - Parameter error: what it is told first, if anything.
  func sayGoodbye(to visitor: Visitor, _ code: CloseCode, _ reason: Text, error: String?) {
    counts.noteClose(code: code.rawValue)
    visitor.goes()
    if let error { visitor.connection.send(error: error, reason, visitor.conversation.encoding) }
    visitor.connection.close(code: code.rawValue, reason: reason.string)
  }

  /// The loop is about to close a connection by itself: too long a message, not UTF-8, or no sign of life.
  func isClosing(_ connection: Connection, code: UInt16, reason: String) {
    guard let visitor = visitors[connection.tag], let code = CloseCode(rawValue: code) else { return }
    close(visitor, code, Text(reason))
  }

  func forget(_ connection: Connection, closure: Closure) {
    guard let visitor = visitors[connection.tag] else { return }
    // One that is gone was counted when it was closed.
    if !visitor.isGone, closure.cause == .ours {
      // By the loop itself, without a word to be said: the protocol was broken.
      counts.noteClose(code: closure.code)
      let word = CloseCode(rawValue: closure.code)?.word ?? "closed"
      noteRefusal(word, address: visitor.address, reason: closure.reason)
    }
    leave(visitor)
    visitor.goes()
    visitors.remove(connection.tag)
    logger.debug(
      "disconnected",
      ["room": .text(visitor.room), "address": .text(visitor.address), "code": .init(closure.code)]
    )
    if isStopping { goOnStopping() }
  }

  /// - Returns: whether it was between messages.
  @discardableResult
  private func leave(_ visitor: Visitor) -> Bool {
    guard case .joined(let open, let id) = visitor.stage else { return true }
    open.unseat(id)
    defer { rooms.markDirty(open) }
    return open.room.leave(id, now: .now())
  }

  /// The file of tokens was read anew. Visitors who would no longer be let in have to go, and those who may now do something
  /// else come back for it.
  func take(_ tokens: Tokens) {
    self.tokens = tokens
    var gone = 0
    for visitor in visitors.all where !visitor.isGone {
      let now = visitor.token.flatMap { tokens.grant(of: $0) }
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
    logger.info("tokens read", ["tokens": .init(tokens.count), "closed": .init(gone)])
  }
}
