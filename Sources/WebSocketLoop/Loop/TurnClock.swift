import Glibc

/// Times the turns of a loop, from when it wakes until it sleeps again, by one reading of the clock for each.
///
/// libuv reads the clock when it wakes, but keeps only whole milliseconds, rounded down. So a turn after a sleep may be counted
/// up to a millisecond too long. A turn that follows another without a sleep begins where that one ended, to the microsecond.
/// libuv's own measure of idle time would be exact, at the price of a second system call for each turn.
struct TurnClock {
  /// Since when the loop is awake. `nil` while it sleeps.
  private var beganAt: UInt64?
  private var endedAt: UInt64

  init() { endedAt = TurnClock.microseconds() }

  /// The loop is awake, by libuv's clock, which counts as `CLOCK_MONOTONIC` does. Only the first call of a turn counts.
  /// - Returns: when the turn began, in microseconds.
  @discardableResult
  mutating func turnBegan(atMilliseconds time: UInt64) -> UInt64 {
    let began = beganAt ?? max(time * 1_000, endedAt)
    beganAt = began
    return began
  }

  /// - Returns: how long the turn was.
  mutating func turnEnds() -> UInt64 { turnEnds(at: TurnClock.microseconds()) }

  mutating func turnEnds(at time: UInt64) -> UInt64 {
    let began = beganAt ?? endedAt
    beganAt = nil
    endedAt = time
    return time > began ? time - began : 0
  }

  static func microseconds() -> UInt64 { microseconds(of: CLOCK_MONOTONIC) }

  /// For how long this thread has had a processor.
  static func processorMicroseconds() -> UInt64 { microseconds(of: CLOCK_THREAD_CPUTIME_ID) }

  private static func microseconds(of clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1_000
  }
}
