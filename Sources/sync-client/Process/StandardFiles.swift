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

  /// The file to write to in place of standard output or standard error. A terminal is opened once more, to be written to
  /// without waiting: one that is ready may still take less than is written. The shell's own file isn't made non-blocking,
  /// because that would affect the shell.
  static func writable(_ descriptor: Int32) -> Int32 { descriptor == STDOUT_FILENO ? output : error }

  private static let output = withoutWaiting(STDOUT_FILENO)
  private static let error = withoutWaiting(STDERR_FILENO)

  private static func withoutWaiting(_ descriptor: Int32) -> Int32 {
    guard isatty(descriptor) != 0, let path = ttyname(descriptor) else { return descriptor }
    let own = Glibc.open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    return own >= 0 ? own : descriptor
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
