import Glibc

/// Whole files. `-` is standard input.
enum FileBytes {
  struct Failure: Error {
    let words: String
  }

  static func read(_ path: String, bytesMax: Int) throws(Failure) -> [UInt8] {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(words: "\(path): \(String(cString: strerror(errno)))") }
    defer { if path != "-" { close(descriptor) } }
    var bytes: [UInt8] = []
    let room = 1 << 16
    while true {
      let count = withUnsafeTemporaryAllocation(byteCount: room, alignment: 1) { buffer in
        let count = Glibc.read(descriptor, buffer.baseAddress, room)
        if count > 0 { bytes += UnsafeRawBufferPointer(rebasing: buffer[..<count]) }
        return count
      }
      if count == 0 { return bytes }
      if count < 0, errno != EINTR { throw Failure(words: "\(path): \(String(cString: strerror(errno)))") }
      guard bytes.count <= bytesMax else { throw Failure(words: "\(path): more than \(bytesMax) bytes") }
    }
  }

  /// Returns false if it failed; `errno` says why.
  static func write(_ bytes: [UInt8], to path: String, mode: mode_t = 0o666) -> Bool {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return bytes.withUnsafeBytes { bytes in
      var written = 0
      while written < bytes.count {
        let count = Glibc.write(descriptor, bytes.baseAddress! + written, bytes.count - written)
        if count > 0 { written += count } else if errno != EINTR { return false }
      }
      return true
    }
  }
}
