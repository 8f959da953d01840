import Glibc

/// Standard error, as lines.
///
/// Its reader may stop reading: a pager, a terminal that is held, a collector that hangs. A server that waits for such a
/// reader serves nobody. So a line that would have to wait is lost.
struct LogPipe {
  /// Whether the last line is incomplete, because a disk was full or a reader stopped. The next line begins on a new
  /// one.
  private var isCut = false

  /// A terminal that is ready for one byte counts as ready, and then a longer write waits. So a terminal is opened anew
  /// for writing without waiting. The flag isn't set for standard error itself, which other programs share.
  ///
  /// `atOnce` is how many bytes the descriptor takes without waiting when it is ready. The terminal of another user can't
  /// be opened, and takes one.
  private static let (descriptor, atOnce): (Int32, Int) = {
    guard isatty(STDERR_FILENO) == 1 else { return (STDERR_FILENO, Int(PIPE_BUF)) }
    let own = open("/proc/self/fd/\(STDERR_FILENO)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    return own < 0 ? (STDERR_FILENO, 1) : (own, Int(PIPE_BUF))
  }()

  /// - Parameter put: writes some bytes, and returns how many were written. 0 if the rest would have to wait, or fails.
  /// - Returns: whether all of the line was written.
  mutating func write(_ text: String, put: (UnsafeRawBufferPointer) -> Int = LogPipe.put) -> Bool {
    let line = Array(((isCut ? "\n" : "") + text + "\n").utf8)
    var sent = 0
    while sent < line.count {
      let count = line.withUnsafeBytes { put(UnsafeRawBufferPointer(rebasing: $0[sent...])) }
      guard count > 0 else {
        if sent > 0 { isCut = line[sent - 1] != UInt8(ascii: "\n") }
        return false
      }
      sent += count
    }
    isCut = false
    return true
  }

  private static func put(_ bytes: UnsafeRawBufferPointer) -> Int {
    while true {
      var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      guard poll(&ready, 1, 0) == 1 else { return 0 }
      let count = Glibc.write(descriptor, bytes.baseAddress, min(bytes.count, atOnce))
      if count > 0 || errno != EINTR { return max(count, 0) }
    }
  }
}
