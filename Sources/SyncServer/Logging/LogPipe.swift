import Glibc

/// Standard error, as lines.
///
/// Its reader may stop reading: a pager, a terminal that is held, a collector that hangs. A server that waits for such a
/// reader serves nobody. So a line that would have to wait is lost.
enum LogPipe {
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

  /// - Returns: whether all of the line was written.
  static func write(_ text: String) -> Bool {
    var line = Array(text.utf8)
    line.append(UInt8(ascii: "\n"))
    var sent = 0
    while sent < line.count {
      var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      guard poll(&ready, 1, 0) == 1 else { return false }
      let most = min(line.count - sent, atOnce)
      let count = line.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress! + sent, most) }
      guard count > 0 || errno == EINTR else { return false }
      sent += max(count, 0)
    }
    return true
  }
}
