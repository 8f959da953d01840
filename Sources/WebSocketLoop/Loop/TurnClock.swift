import Glibc

/// Times the turns of a loop, from when it wakes until it sleeps again, by one reading of the clock for each.
///
/// libuv reads the clock when it wakes, but keeps only whole milliseconds, rounded down. So a turn after a sleep may be counted
/// up to a millisecond too long. A turn that follows another without a sleep begins where that one ended, to the microsecond.
/// libuv's own measure of idle time would be exact, at the price of a second system call for each turn.
struct TurnClock {
  private var beganAt: UInt64 = 0
  private var endedAt: UInt64

  init() { endedAt = TurnClock.microseconds() }

  /// By libuv's clock, which counts as `CLOCK_MONOTONIC` does.
  mutating func turnBegan(atMilliseconds time: UInt64) { beganAt = time * 1_000 }

  /// - Returns: how long the turn was.
  mutating func turnEnds() -> UInt64 { turnEnds(at: TurnClock.microseconds()) }

  mutating func turnEnds(at time: UInt64) -> UInt64 {
    let began = max(beganAt, endedAt)
    endedAt = time
    return time > began ? time - began : 0
  }

  static func microseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1_000
  }
}
