import WebSocketLoop

/// Those who read history, each of whom folds a room of its own, and those who wait to.
///
/// What always holds: as long as anyone waits, all turns are taken. Each waits until it is given a turn or its time is up, and
/// hears once.
struct HistoryTurns {
  private struct Waiting {
    let number: UInt64
    let timer: LoopTimer
    let turn: CheckedContinuation<Bool, Never>
  }

  private static let most = 8
  /// Less than people and programs wait for an answer.
  static let waitMilliseconds: UInt64 = 5_000

  private var taken = 0
  private var waiting: [Waiting] = []
  private var lastNumber: UInt64 = 0

  /// - Returns: whether there was a turn to take.
  mutating func take() -> Bool {
    guard taken < HistoryTurns.most else { return false }
    taken += 1
    return true
  }

  /// - Parameter timer: made for the number by which the wait is given up.
  mutating func wait(_ turn: CheckedContinuation<Bool, Never>, timer: (UInt64) -> LoopTimer) {
    lastNumber += 1
    waiting.append(Waiting(number: lastNumber, timer: timer(lastNumber), turn: turn))
  }

  /// The turn goes to the one that has waited longest.
  mutating func leave() {
    guard !waiting.isEmpty else {
      taken -= 1
      return
    }
    let next = waiting.removeFirst()
    next.timer.cancel()
    next.turn.resume(returning: true)
  }

  mutating func giveUp(_ number: UInt64) {
    guard let index = waiting.firstIndex(where: { $0.number == number }) else { return }
    waiting.remove(at: index).turn.resume(returning: false)
  }
}
