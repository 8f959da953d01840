import Glibc

/// Standard input, output and error.
enum StandardFiles {
  /// Opens `/dev/null` in place of those that the caller has closed, as in `sync-client add demo star <&- >&-`.
  /// Otherwise the first sockets would get their numbers, and printed text would go to the server.
  static func open() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      // The lowest free number is this one, because those below are open by now.
      _ = Glibc.open("/dev/null", O_RDWR)
    }
  }
}
