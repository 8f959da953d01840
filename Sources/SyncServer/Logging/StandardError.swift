import Glibc

/// What a program says that doesn't run as a server, or not yet.
enum StandardError {
  /// One line, and nothing around it.
  static func complain(_ words: String) {
    let line = Array("SyncServer: \(words)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
  }
}
