import WebSocketLoop

/// The turns of the loop: which one this is, and the time at which one has to come though nothing else brings it.
///
/// What always holds: there is one timer at most, and it is for the earliest of the times that were asked for.
struct Turns {
  private(set) var number: UInt64 = 1
  private var alarm: (timer: LoopTimer, due: UInt64)?

  mutating func end() { number += 1 }

  /// - Parameter timer: is made for so many milliseconds from now, and is to call `isWoken`.
  mutating func wake(at due: UInt64, now: UInt64, _ timer: (UInt64) -> LoopTimer) {
    if let alarm {
      guard due < alarm.due else { return }
      alarm.timer.cancel()
    }
    alarm = (timer(due > now ? due - now : 0), due)
  }

  mutating func isWoken() { alarm = nil }
}
