import CanvasCRDT

/// Why something takes long: why a server has not let the client in or has not answered its edit yet, as far as the
/// client knows.
struct Delay: Hashable, Sendable {
  /// If nothing has come for this long, the user is told what a command waits for.
  static let silenceMilliseconds: UInt64 = 2_000
  /// A server that is starting, or that can't reach its log for a moment, answers with 503. The client goes on asking
  /// for this long.
  static let unavailableMilliseconds: UInt64 = 10_000
  /// How often it asks. Our servers send the same in `Retry-After`.
  static let askingMilliseconds: UInt64 = 1_000

  let code: String
  let words: String

  init(code: String, words: String) {
    self.code = code
    self.words = words
  }

  /// The room hasn't been reached yet.
  @ClientLoop
  init(notJoined client: some RoomJoining) {
    self.init(code: client.isUnavailable ? "unavailable" : "not_connected", words: client.whyNot)
  }
}

extension Postponement {
  /// Adds the likely cause, which the server doesn't tell everyone.
  var words: String { code == .unavailable ? "\(message.string); its disk may be full" : message.string }
}
