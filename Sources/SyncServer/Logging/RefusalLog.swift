/// A refusal, as the log tells of it.
struct Refusal: Sendable {
  var code: String
  var address: String
  var reason: String
  var room: String?
  var actor: String?
  /// The label of the token that was sent, from the file of tokens. Never the token itself.
  var token: String?

  /// While the server itself is at fault, everyone is refused for the same reason.
  fileprivate var alike: Logger.Alike {
    switch code {
    case "unavailable": .by(["code", "reason"])
    case "http_503": .by(["code"])
    default: .byAll
    }
  }

  fileprivate var fields: KeyValuePairs<String, Logger.Field> {
    [
      "code": .text(code), "room": .init(room), "actor": .init(actor), "token": .init(token),
      "address": .text(address), "reason": .text(reason),
    ]
  }
}

/// Logs refusals for the operator. Of refusals that are alike, one is written once in a while. Of different ones, the
/// first few of each second are written, and the rest as a number. So a flood of bad input doesn't become a flood of
/// lines.
struct RefusalLog {
  private static let linesASecond = 10
  private let logger: Logger
  private var lines = 0
  private var unwritten = 0

  init(_ logger: Logger) { self.logger = logger }

  mutating func write(_ refusal: Refusal) {
    if logger.counts("refused", refusal.fields, alike: refusal.alike) { return }
    guard lines < RefusalLog.linesASecond else {
      unwritten += 1
      return
    }
    lines += 1
    logger.info("refused", refusal.fields, alike: refusal.alike)
  }

  /// To be called once a second, and at the end.
  mutating func beginSecond() {
    if unwritten > 0 { logger.info("refused more", ["count": .init(unwritten)]) }
    lines = 0
    unwritten = 0
  }
}
