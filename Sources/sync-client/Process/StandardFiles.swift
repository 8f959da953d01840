import Glibc

/// Standard input, output and error.
enum StandardFiles {
  /// Opens `/dev/null` in place of standard files that the caller has closed, as in `sync-client add demo star <&-
  /// >&-`. Otherwise a socket could get such a file's number, and printed text would go to the server.
  static func open() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      // `open` returns the lowest free number. That is the number of the missing file, because all lower ones are open.
      _ = Glibc.open("/dev/null", O_RDWR)
    }
  }

  /// Waits until a file can be read (`POLLIN`) or written (`POLLOUT`), also if another process has made a terminal or a
  /// pipe non-blocking.
  /// - Returns: whether it can be, or has failed.
  @discardableResult
  static func isReady(_ descriptor: Int32, for events: Int32, withinMilliseconds limit: Int32 = -1) -> Bool {
    var wait = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    return poll(&wait, 1, limit) > 0
  }
}
