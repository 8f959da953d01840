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

  /// The files to write to in place of standard output and standard error. A terminal is opened once more, to be written
  /// to without waiting: one that is ready may still take less than is written. The shell's own file isn't made
  /// non-blocking, because that would affect the shell.
  static let output = withoutWaiting(STDOUT_FILENO)
  static let error = withoutWaiting(STDERR_FILENO)

  private static func withoutWaiting(_ descriptor: Int32) -> Int32 {
    let own = isatty(descriptor) != 0 ? reopen(descriptor, O_WRONLY) : -1
    return own >= 0 ? own : descriptor
  }

  /// Opens a terminal once more, without waiting for it. After `su`, its file belongs to the user of before. Then it is
  /// opened as the terminal of the process, if it is that.
  /// - Returns: a new descriptor. If it is negative, `errno` tells why.
  static func reopen(_ terminal: Int32, _ mode: Int32) -> Int32 {
    let mode = mode | O_NOCTTY | O_NONBLOCK | O_CLOEXEC
    let isOwn = tcgetpgrp(terminal) >= 0
    let named = ttyname(terminal).map { Glibc.open($0, mode) } ?? -1
    return named < 0 && isOwn ? Glibc.open("/dev/tty", mode) : named
  }

  /// Writes all bytes. Returns `errno` if that fails. While the reader of a pipe takes nothing, or a terminal is
  /// stopped, it waits, and nothing else happens. If the command is to end then, it ends without what is left.
  static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
    bytes.withUnsafeBytes { bytes in
      var written = 0
      while written < bytes.count {
        if isReady(descriptor, for: POLLOUT, withinMilliseconds: 500) {
          // A pipe that is ready takes this many bytes without waiting.
          let count = Glibc.write(descriptor, bytes.baseAddress! + written, min(bytes.count - written, Int(PIPE_BUF)))
          if count >= 0 {
            written += count
            continue
          }
          guard errno == EINTR || errno == EAGAIN else { return errno }
          // A terminal may be ready for less than a line break.
          usleep(10_000)
        }
        if Signals.haveCome { exit(Signals.isReaderGone ? ExitCode.failed.rawValue : Signals.exitCode.rawValue) }
      }
      return nil
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
