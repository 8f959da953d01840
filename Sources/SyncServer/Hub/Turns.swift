import WebSocketLoop

/// The number of the event loop's current iteration, and the time at which the loop must wake up even if nothing
/// happens.
///
/// What always holds: there is at most one timer, and it fires at the earliest time that was requested.
struct Turns {
  private(set) var number: UInt64 = 1
  private var alarm: (timer: any ServerTimer, due: UInt64)?
  /// Until when readers may be resumed in this iteration.
  private var resumesUntil: UInt64?

  mutating func end() {
    number += 1
    resumesUntil = nil
  }

  /// Whether one more reader whose connection takes bytes again may be served in this iteration. Each may need values that
  /// are gathered and encoded for it alone.
  mutating func mayResume(at microseconds: UInt64) -> Bool {
    let until = resumesUntil ?? microseconds + Turns.resumingMicrosecondsMax
    resumesUntil = until
    return microseconds < until
  }

  private static let resumingMicrosecondsMax: UInt64 = 3_000

  /// - Parameter timer: makes a timer that calls `noteAlarm` after a number of milliseconds.
  mutating func wake(at due: UInt64, now: UInt64, _ timer: (UInt64) -> any ServerTimer) {
    if let alarm {
      guard due < alarm.due else { return }
      alarm.timer.cancel()
    }
    alarm = (timer(due > now ? due - now : 0), due)
  }

  mutating func noteAlarm() { alarm = nil }
}
