/// The server's refusal to take an edit for now, as when its disk is full. The edit is sent again after a pause.
public struct Postponement: Hashable, Sendable {
  public let code: RejectCode
  /// The reason, in words.
  public let message: Text

  public init(code: RejectCode, message: Text) {
    self.code = code
    self.message = message
  }
}

extension Replica {
  /// Whether edits are on their way to a server that has yet to answer them. False while they wait here, as after a
  /// refusal for now.
  public var awaitsAnswer: Bool { state.isJoined && outbox.sentCount > 0 }
}
