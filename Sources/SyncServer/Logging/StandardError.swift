import Glibc

/// Messages of a program that is not a running server: a command, or a server that doesn't start.
enum StandardError {
  /// Writes one line, without a time or a level.
  static func complain(_ words: String) {
    let line = Array("SyncServer: \(words)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
  }
}
