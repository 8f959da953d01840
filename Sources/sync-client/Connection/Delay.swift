import CanvasCRDT

/// Why a wait takes long, as far as the client knows: why the server has not let the client in, or has not answered its
/// edit.
struct Delay: Hashable, Sendable {
  /// After this long without a message, the user is told what the command waits for.
  static let silenceMilliseconds: UInt64 = 2_000
  /// How long the client keeps trying while the server answers with 503. A server does that while it starts or can't
  /// reach its log.
  static let unavailableMilliseconds: UInt64 = 10_000
  /// The pause between two of these attempts. This server sends the same time in `Retry-After`.
  static let askingMilliseconds: UInt64 = 1_000

  let code: String
  let words: String

  init(code: String, words: String) {
    self.code = code
    self.words = words
  }

  /// The delay of a client that hasn't reached the room yet.
  @ClientLoop
  init(notJoined client: some RoomJoining) {
    self.init(code: client.isUnavailable ? "unavailable" : "not_connected", words: client.whyNot)
  }
}

extension Postponement {
  /// The server's message with the likely cause, which the server doesn't tell every client.
  var words: String { code == .unavailable ? "\(message.string); its disk may be full" : message.string }
}
