/// The server's refusal to accept an edit for now, for example because its disk is full. The edit is sent again after a
/// pause.
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
  /// Whether edits are on their way and the server hasn't answered them yet. False while edits wait in the client, for
  /// example after such a refusal.
  public var awaitsAnswer: Bool { state.isJoined && outbox.sentCount > 0 }
}
