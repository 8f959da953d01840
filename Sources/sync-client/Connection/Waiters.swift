import WebSocketLoop

/// How a wait ended.
enum WaitEnd: Hashable, Sendable {
  case fulfilled
  case tooLate
  case cancelled
}

/// Tasks that wait for conditions. Code that may have made a condition true calls `check`.
@ClientLoop
final class Waiters {
  private final class Waiter {
    let number: Int
    let condition: @ClientLoop () -> Bool
    var continuation: CheckedContinuation<WaitEnd, Never>?
    var timer: LoopTimer?

    init(
      _ number: Int,
      _ condition: @escaping @ClientLoop () -> Bool,
      _ continuation: CheckedContinuation<WaitEnd, Never>
    ) {
      self.number = number
      self.condition = condition
      self.continuation = continuation
    }
  }

  private var waiters: [Waiter] = []
  private var lastNumber = 0

  func wait(
    withinMilliseconds: UInt64? = nil,
    until condition: @escaping @ClientLoop () -> Bool
  ) async -> WaitEnd {
    if condition() { return .fulfilled }
    if Task.isCancelled { return .cancelled }
    lastNumber += 1
    let number = lastNumber
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        waiters.append(Waiter(number, condition, continuation))
        if let withinMilliseconds { limit(number, toMilliseconds: withinMilliseconds) }
      }
    } onCancel: {
      ClientLoop.shared.loop.execute {
        ClientLoop.assumeIsolated { self.end(number, .cancelled) }
      }
    }
  }

  func check() {
    for waiter in waiters where waiter.condition() { end(waiter.number, .fulfilled) }
  }

  private func limit(_ number: Int, toMilliseconds milliseconds: UInt64) {
    waiters.last?.timer = ClientLoop.shared.loop.schedule(afterMilliseconds: milliseconds) { [self] in
      ClientLoop.assumeIsolated { end(number, .tooLate) }
    }
  }

  private func end(_ number: Int, _ end: WaitEnd) {
    guard let index = waiters.firstIndex(where: { $0.number == number }) else { return }
    let waiter = waiters.remove(at: index)
    waiter.timer?.cancel()
    waiter.continuation?.resume(returning: end)
    waiter.continuation = nil
  }
}
