import Glibc

/// A process's figures from the system: processor time of all threads in nanoseconds, and memory.
struct ProcessFigures {
  let pid: Int

  /// The processor time, including threads that have ended.
  var cpuNanoseconds: UInt64 {
    var clock = clockid_t()
    var time = timespec()
    guard clock_getcpuclockid(pid_t(pid), &clock) == 0, clock_gettime(clock, &time) == 0 else { return 0 }
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  var residentBytes: UInt64 {
    guard let file = fopen("/proc/\(pid)/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
    let fields = line.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }.split(separator: " ")
    return fields.count > 1 ? (UInt64(fields[1]) ?? 0) * UInt64(sysconf(Int32(_SC_PAGESIZE))) : 0
  }
}
