import CanvasCRDT

/// Why the server takes long to let the client in or to answer an edit, as far as the client knows.
struct Delay: Hashable, Sendable {
  /// After this long without a message, the user is told what the command waits for.
  static let silenceMilliseconds: UInt64 = 2_000
  /// How long the client retries while the server answers with status 503. A server does so while it starts, or while
  /// it can't reach its log.
  static let unavailableMilliseconds: UInt64 = 10_000
  /// The pause before each retry after status 503. Our server asks for the same pause in `Retry-After`.
  static let askingMilliseconds: UInt64 = 1_000

  let code: String
  let words: String

  init(code: String, words: String) {
    self.code = code
    self.words = words
  }

  /// The reason for the delay, while the client hasn't reached the room yet.
  @ClientLoop
  init(notJoined client: some RoomJoining) {
    self.init(code: client.errorCode, words: client.whyNot)
  }
}

extension Postponement {
  /// The server's message. For `unavailable`, a full disk is added as the probable cause, because the server tells the
  /// cause only to some clients.
  var words: String { code == .unavailable ? "\(message.string); its disk may be full" : message.string }
}
