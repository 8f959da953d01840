import Glibc

/// Standard input, output and error.
enum StandardFiles {
  /// Opens `/dev/null` for each of the three that the caller has closed, as in `sync-client add demo star <&- >&-`.
  /// Otherwise the first sockets would get these numbers, and printed text would go to the server.
  static func open() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      // `open` returns the lowest free number. That is this file's own number, because all lower numbers are in use by
      // now.
      _ = Glibc.open("/dev/null", O_RDWR)
    }
  }
}
