import Glibc

/// Messages of a program that doesn't run as a server, or not yet.
enum StandardError {
  /// Writes one line, without a time or a level.
  static func complain(_ words: String) {
    let line = Array("SyncServer: \(words)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
  }
}
