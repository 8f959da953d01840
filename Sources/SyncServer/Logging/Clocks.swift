import CanvasCRDT
import Glibc

/// Unix time, and its text in log lines.
enum WallClock {
  static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return UInt64(max(time.tv_sec, 0)) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
  }

  /// The time as log lines have it: `2026-11-20T17:21:01.123Z`.
  static func text(_ milliseconds: UInt64) -> String {
    var seconds = time_t(milliseconds / 1_000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    let date = "\(Int(parts.tm_year) + 1_900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
    let fraction = Int32(milliseconds % 1_000)
    let time = "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
    return "\(date)T\(time).\(fraction / 100)\(two(fraction % 100))Z"
  }

  private static func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

/// A clock that never goes back, for measuring durations.
enum SteadyClock {
  static func microseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1_000
  }

  static func milliseconds() -> UInt64 { microseconds() / 1_000 }
}

/// The processor time that this thread has used. On a busy machine it is less than the time that has passed.
enum ProcessorClock {
  static func microseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1_000
  }
}

/// The clocks that a server reads: this machine's, or those that a test makes up.
struct Clocks: Sendable {
  /// Unix time.
  let wallMilliseconds: @Sendable () -> UInt64
  /// A clock that never goes back.
  let steadyMicroseconds: @Sendable () -> UInt64
  /// The processor time that this thread has used.
  let processorMicroseconds: @Sendable () -> UInt64

  static let ofMachine = Clocks(
    wallMilliseconds: WallClock.now,
    steadyMicroseconds: SteadyClock.microseconds,
    processorMicroseconds: ProcessorClock.microseconds
  )

  var steadyMilliseconds: UInt64 { steadyMicroseconds() / 1_000 }
  var now: Moment { Moment(wallMilliseconds: wallMilliseconds(), monotonicMilliseconds: steadyMilliseconds) }
}

extension Moment {
  static func now() -> Moment {
    Moment(wallMilliseconds: WallClock.now(), monotonicMilliseconds: SteadyClock.microseconds() / 1_000)
  }
}
