import CanvasCRDT
import WebSocketLoop

// How visitors leave, of their own accord or because they have to.

extension Hub {
  /// Tells the client the reason, and closes the connection.
  /// - Parameter error: the word for what went wrong, unless the code already says it.
  func close(_ visitor: Visitor, _ code: CloseCode, _ reason: Text, error: String? = nil) {
    // A visitor that is only asked to reconnect has done nothing wrong.
    let error = error ?? (code == .goingAway ? nil : code.word)
    if let error { noteRefusal(Refusal(error, of: visitor, reason.string)) }
    // A message of several frames may have been sent in part. Only the close frame may follow it.
    let isBetweenMessages = leave(visitor)
    sayGoodbye(to: visitor, code, reason, error: isBetweenMessages ? error : nil)
  }

  /// Closes the connection of a visitor that has left its room.
  /// - Parameter error: the message that the client is sent first, if any.
  func sayGoodbye(to visitor: Visitor, _ code: CloseCode, _ reason: Text, error: String?) {
    counts.noteClose(code: code.rawValue)
    visitor.goes()
    if let error { visitor.connection.send(error: error, reason, visitor.conversation.encoding) }
    visitor.connection.close(code: code.rawValue, reason: reason.string)
  }

  /// The loop is about to close a connection on its own, because a message was too long or not UTF-8, or the client is
  /// silent.
  func noteClosing(_ connection: Connection, code: UInt16, reason: String) {
    guard let visitor = visitors[connection.tag], let code = CloseCode(rawValue: code) else { return }
    close(visitor, code, Text(reason))
  }

  func forget(_ connection: Connection, closure: Closure) {
    guard let visitor = visitors[connection.tag] else { return visitors.forgetTurnedAway(connection.party) }
    // A visitor that is already gone was counted when it was closed.
    if !visitor.isGone, closure.cause == .ours {
      // The client broke the protocol, so the loop closed the connection without a message.
      counts.noteClose(code: closure.code)
      let word = CloseCode(rawValue: closure.code)?.word ?? "closed"
      noteRefusal(Refusal(word, of: visitor, closure.reason))
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

  /// - Returns: whether the connection was between messages.
  @discardableResult
  private func leave(_ visitor: Visitor) -> Bool {
    guard case .joined(let open, let id) = visitor.stage else { return true }
    unseat(id, in: open)
    defer { rooms.markDirty(open) }
    return open.room.leave(id, now: .now())
  }
}
