import WebSocketLoop

/// The turns for reading history. Each reader folds a room of its own, so only a few may read at a time, and others
/// wait.
///
/// What always holds: while anyone waits, all turns are taken. Each job waits until it gets a turn or its time is up,
/// and hears once.
struct HistoryTurns {
  private struct Waiting {
    let number: UInt64
    let timer: LoopTimer
    let turn: CheckedContinuation<Bool, Never>
  }

  private static let most = 8
  /// People and programs wait longer than this for an answer.
  static let waitMilliseconds: UInt64 = 5_000

  private var taken = 0
  private var waiting: [Waiting] = []
  private var lastNumber: UInt64 = 0

  /// - Returns: whether a turn was free.
  mutating func take() -> Bool {
    guard taken < HistoryTurns.most else { return false }
    taken += 1
    return true
  }

  /// - Parameter timer: makes the timer that ends the wait of this number.
  mutating func wait(_ turn: CheckedContinuation<Bool, Never>, timer: (UInt64) -> LoopTimer) {
    lastNumber += 1
    waiting.append(Waiting(number: lastNumber, timer: timer(lastNumber), turn: turn))
  }

  /// Gives the turn to the job that has waited longest.
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
