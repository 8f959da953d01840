/// Refusals, for the operator: the first few of each second in full, the rest as a number, so that a flood of bad input isn't
/// also a flood of lines.
struct RefusalLog {
  private static let linesASecond = 10
  private let logger: Logger
  private var lines = 0
  private var unwritten = 0

  init(_ logger: Logger) { self.logger = logger }

  mutating func write(_ code: String, address: String, reason: String) {
    guard lines < RefusalLog.linesASecond else {
      unwritten += 1
      return
    }
    lines += 1
    logger.info("refused", ["code": .text(code), "address": .text(address), "reason": .text(reason)])
  }

  /// Once a second.
  mutating func beginSecond() {
    if unwritten > 0 { logger.info("refused more", ["count": .init(unwritten)]) }
    lines = 0
    unwritten = 0
  }
}
