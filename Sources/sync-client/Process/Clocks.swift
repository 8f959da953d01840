import CanvasCRDT
import Glibc

/// The clocks. Nothing else in this program reads the time.
enum Clocks {
  /// Unix time.
  static func wallMilliseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return UInt64(max(time.tv_sec, 0)) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
  }

  /// A monotonic time, for measuring durations.
  static func monotonicMicroseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1_000
  }

  static func monotonicMilliseconds() -> UInt64 { monotonicMicroseconds() / 1_000 }
}

extension Moment {
  static func now() -> Moment {
    Moment(
      wallMilliseconds: Clocks.wallMilliseconds(),
      monotonicMilliseconds: Clocks.monotonicMilliseconds()
    )
  }
}
