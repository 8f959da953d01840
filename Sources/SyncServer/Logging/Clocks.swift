import Basics
import CanvasCRDT
import Glibc

extension WallClock {
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

/// The clocks that a server reads: this machine's, or those that a test makes up.
struct Clocks: Sendable {
  /// Unix time.
  let wallMilliseconds: @Sendable () -> UInt64
  /// A clock that never goes back.
  let steadyMicroseconds: @Sendable () -> UInt64
  /// The processor time that this thread has used.
  let processorMicroseconds: @Sendable () -> UInt64

  static let ofMachine = Clocks(
    wallMilliseconds: WallClock.milliseconds,
    steadyMicroseconds: SteadyClock.microseconds,
    processorMicroseconds: ProcessorClock.microseconds
  )

  var steadyMilliseconds: UInt64 { steadyMicroseconds() / 1_000 }
  var now: Moment { Moment(wallMilliseconds: wallMilliseconds(), monotonicMilliseconds: steadyMilliseconds) }
}

extension Moment {
  static func now() -> Moment {
    Moment(wallMilliseconds: WallClock.milliseconds(), monotonicMilliseconds: SteadyClock.milliseconds())
  }
}
