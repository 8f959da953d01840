import Glibc

/// Unix time. It jumps when somebody sets the clock.
public enum WallClock {
  public static func milliseconds() -> UInt64 {
    let time = timespec(of: CLOCK_REALTIME)
    return UInt64(max(time.tv_sec, 0)) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
  }
}

/// A clock that never goes back, for measuring durations.
public enum SteadyClock {
  public static func nanoseconds() -> UInt64 { timespec(of: CLOCK_MONOTONIC).nanoseconds }
  public static func microseconds() -> UInt64 { nanoseconds() / 1_000 }
  public static func milliseconds() -> UInt64 { nanoseconds() / 1_000_000 }
}

/// The processor time that this thread has used. On a busy machine it is less than the time that has passed.
public enum ProcessorClock {
  public static func microseconds() -> UInt64 { timespec(of: CLOCK_THREAD_CPUTIME_ID).nanoseconds / 1_000 }
}

extension timespec {
  fileprivate init(of clock: clockid_t) {
    self.init()
    clock_gettime(clock, &self)
  }

  fileprivate var nanoseconds: UInt64 { UInt64(tv_sec) * 1_000_000_000 + UInt64(tv_nsec) }
}
