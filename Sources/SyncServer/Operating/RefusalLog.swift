/// What was refused, for the operator: the first few of each second in full, the rest as a number, so that a flood of
/// bad input isn't also a flood of lines.
struct RefusalLog {
  private static let linesASecond = 10
  private var lines = 0
  private var unsaid = 0

  /// Whether this one is written.
  mutating func take() -> Bool {
    guard lines < RefusalLog.linesASecond else {
      unsaid += 1
      return false
    }
    lines += 1
    return true
  }

  /// Once a second: how many were not written.
  mutating func takeUnsaid() -> Int {
    defer {
      lines = 0
      unsaid = 0
    }
    return unsaid
  }
}

extension Hub {
  func noteRefusal(_ code: String, address: String, reason: String) {
    metrics.refusals[code, default: 0] += 1
    logRefusal(code, address: address, reason: reason)
  }

  func logRefusal(_ code: String, address: String, reason: String) {
    guard refusalLog.take() else { return }
    logger.info("refused", ["code": .text(code), "address": .text(address), "reason": .text(reason)])
  }

  func summariseRefusals() {
    let unsaid = refusalLog.takeUnsaid()
    if unsaid > 0 { logger.info("refused more", ["count": .init(unsaid)]) }
  }
}
