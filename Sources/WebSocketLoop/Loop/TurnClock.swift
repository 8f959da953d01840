import Basics

/// Measures each turn (iteration) of a loop, from waking up to sleeping again, with one reading of the clock for each
/// turn.
///
/// libuv reads the clock when it wakes up, but keeps only whole milliseconds, rounded down. So a turn after a sleep can
/// be counted up to a millisecond too long. A turn that follows another one without a sleep begins exactly where that
/// one ended. libuv's own measure of idle time would be exact, but would cost a second system call for each turn.
struct TurnClock {
  /// The time at which the loop woke; `nil` while the loop sleeps.
  private var beganAt: UInt64?
  private var endedAt: UInt64

  init() { endedAt = SteadyClock.microseconds() }

  /// Notes that the loop is awake. `milliseconds` comes from libuv's clock, which is `CLOCK_MONOTONIC`. Only the first
  /// call in an iteration has an effect.
  /// - Returns: when the iteration began, in microseconds.
  @discardableResult
  mutating func turnBegan(atMilliseconds time: UInt64) -> UInt64 {
    let began = beganAt ?? max(time * 1_000, endedAt)
    beganAt = began
    return began
  }

  /// - Returns: how long the iteration was.
  mutating func turnEnds() -> UInt64 { turnEnds(at: SteadyClock.microseconds()) }

  mutating func turnEnds(at time: UInt64) -> UInt64 {
    let began = beganAt ?? endedAt
    beganAt = nil
    endedAt = time
    return time > began ? time - began : 0
  }
}
