import Glibc

/// Standard error, as lines.
///
/// Its reader may stop reading: a pager, a terminal that is held, a collector that hangs. A server that waits for such a
/// reader serves nobody. So a line that would have to wait is lost.
enum LogPipe {
  /// - Returns: whether all of the line was written.
  static func write(_ text: String) -> Bool {
    var line = Array(text.utf8)
    line.append(UInt8(ascii: "\n"))
    var sent = 0
    while sent < line.count {
      var ready = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
      guard poll(&ready, 1, 0) == 1 else { return false }
      // A pipe that is ready takes as many bytes at once without waiting.
      let most = min(line.count - sent, Int(PIPE_BUF))
      let count = line.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress! + sent, most) }
      guard count > 0 || errno == EINTR else { return false }
      sent += max(count, 0)
    }
    return true
  }
}
