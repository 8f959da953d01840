/// The server's answer that it can't store an edit now, for example because its disk is full. The edit is sent again
/// after a pause.
public struct Postponement: Hashable, Sendable {
  public let code: RejectCode
  /// The reason, as text for people.
  public let message: Text

  public init(code: RejectCode, message: Text) {
    self.code = code
    self.message = message
  }
}

extension Replica {
  /// Whether sent edits are still unanswered. False while edits wait in the client, for example after a postponement.
  public var awaitsAnswer: Bool { state.isJoined && outbox.sentCount > 0 }
}
