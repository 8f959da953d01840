import Glibc

/// Reads a file of tokens or a key. The main thread does this, so nothing may hold it up for long: while it reads, it takes
/// no signal.
enum CredentialFile {
  /// How long a pipe may stay silent, such as one that a shell has made for `--tokens <(…)`.
  private static let silenceMilliseconds: Int32 = 10_000

  /// - Returns: the file's bytes, and whether every user of this machine can read it.
  static func read(
    _ path: String,
    bytesMax: Int,
    for use: String
  ) throws(TokenFault) -> (bytes: [UInt8], isOpenToAll: Bool) {
    // Opening a pipe that nobody writes to would wait without end.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw TokenFault(String(cString: strerror(errno))) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
      throw TokenFault("this is not a file")
    }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      // Before its writer has opened a pipe, a read returns no bytes, as at the end of a file. So this waits first.
      var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&wait, 1, silenceMilliseconds) != 0 else { throw TokenFault("nothing comes from this pipe") }
      let count = Glibc.read(descriptor, &piece, piece.count)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count >= 0 else { throw TokenFault(String(cString: strerror(errno))) }
      guard count > 0 else { break }
      bytes += piece[..<count]
      guard bytes.count <= bytesMax else { throw TokenFault("the file is too large for \(use)") }
    }
    return (bytes, status.st_mode & S_IROTH != 0)
  }
}
