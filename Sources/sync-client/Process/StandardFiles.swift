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

  /// Waits until a file can be read (`POLLIN`) or written (`POLLOUT`). Needed if another process has made a terminal or a
  /// pipe non-blocking.
  static func wait(for descriptor: Int32, _ events: Int32) {
    var wait = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    poll(&wait, 1, -1)
  }
}
