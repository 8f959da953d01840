import CanvasCRDT

/// Why it takes long: why a server has not let the client in or has not taken its edit yet, as far as the client knows.
struct Delay: Hashable, Sendable {
  /// If nothing has come for this long, the user is told what a command waits for.
  static let silenceMilliseconds: UInt64 = 2_000

  let code: String
  let words: String

  @ClientLoop
  init(_ client: RoomClient) {
    if let postponement = client.replica.postponement {
      code = Text(postponement.code.wireName).string
      words = postponement.words
    } else if client.replica.state.isJoined {
      code = "not_answered"
      words = "the server has not answered"
    } else {
      code = "not_connected"
      words = client.whyNot
    }
  }
}

extension Postponement {
  /// With the likely cause, which the server doesn't tell everyone.
  var words: String { code == .unavailable ? "\(message.string); its disk may be full" : message.string }
}
