import CanvasCRDT

/// Why it takes long: why a server has not let the client in or has not taken its edit yet, as far as the client knows.
struct Delay: Hashable, Sendable {
  /// If nothing has come for this long, the user is told what a command waits for.
  static let silenceMilliseconds: UInt64 = 2_000
  /// A server that starts, or whose log is away for a moment, answers with 503. So long it is asked again.
  static let unavailableMilliseconds: UInt64 = 10_000
  /// It is asked to let the client in this often, which is what our servers say by `Retry-After`.
  static let askingMilliseconds: UInt64 = 1_000

  let code: String
  let words: String

  init(code: String, words: String) {
    self.code = code
    self.words = words
  }

  /// The room isn't reached yet.
  @ClientLoop
  init(notJoined client: some RoomJoining) {
    self.init(code: client.isUnavailable ? "unavailable" : "not_connected", words: client.whyNot)
  }
}

extension Postponement {
  /// With the likely cause, which the server doesn't tell everyone.
  var words: String { code == .unavailable ? "\(message.string); its disk may be full" : message.string }
}
