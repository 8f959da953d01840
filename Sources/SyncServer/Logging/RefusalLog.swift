/// A refusal, as the log reports it.
struct Refusal: Sendable {
  var code: String
  var address: String
  let reason: String
  /// The method and the path of the refused request. `nil` if a message on a WebSocket was refused.
  let request: String?
  var room: String?
  var actor: String?
  /// The label of the token that the client sent, and never the token itself.
  var token: String?

  /// The upper bound on the reason's bytes in a line. A reason can quote what a client has sent. A longer quote would
  /// not help an operator more.
  static let reasonBytesMax = 200

  init(
    code: String,
    address: String,
    reason: String,
    request: String? = nil,
    room: String? = nil,
    actor: String? = nil,
    token: String? = nil
  ) {
    self.code = code
    self.address = address
    self.reason = reason.cut(toBytes: Refusal.reasonBytesMax)
    self.request = request?.cut(toBytes: Refusal.reasonBytesMax)
    self.room = room
    self.actor = actor
    self.token = token
  }

  /// Which refusals count as alike. If the server itself is at fault, everyone is refused for the same reason, so the
  /// client's address doesn't matter.
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
      "address": .text(address), "request": .init(request), "reason": .text(reason),
    ]
  }
}

/// Logs refusals for the operator. If several refusals are alike, only one of them is written within some seconds. Each
/// second, only the first few lines are written, and the other refusals are counted. Each address also has a budget of
/// lines.
struct RefusalLog {
  private static let linesASecond = 10
  private let logger: Logger
  private var lines = 0
  private var unwritten = 0
  private var budget = LineBudget()

  init(_ logger: Logger) { self.logger = logger }

  mutating func write(_ refusal: Refusal) {
    if logger.counts("refused", refusal.fields, alike: refusal.alike) { return }
    guard lines < RefusalLog.linesASecond else {
      unwritten += 1
      return
    }
    guard budget.takes(refusal.address) else { return }
    lines += 1
    logger.info("refused", refusal.fields, alike: refusal.alike)
  }

  /// Begins a new budget, and writes how many refusals were only counted. To be called once a second, and at the end.
  mutating func beginSecond(isEnd: Bool = false) {
    if unwritten > 0 { logger.info("refused more", ["count": .init(unwritten)]) }
    for (address, count) in budget.takeCounts(isEnd: isEnd) {
      logger.info("refused more", ["address": .text(address), "count": .init(count)])
    }
    lines = 0
    unwritten = 0
  }
}

extension String {
  /// The text. If it is longer than `bytesMax`, its beginning and an ellipsis.
  func cut(toBytes bytesMax: Int) -> String {
    guard utf8.count > bytesMax else { return self }
    var end = utf8.index(utf8.startIndex, offsetBy: bytesMax)
    while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
    return self[..<end] + "…"
  }
}
