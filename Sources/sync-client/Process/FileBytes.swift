import Basics
import Glibc

/// Reads and writes whole files. `-` is standard input.
enum FileBytes {
  struct Failure: Error {
    let words: String
  }

  static func read(_ path: String, bytesMax: Int) throws(Failure) -> [UInt8] {
    // A named pipe is opened without waiting for a writer, because no signal would end that.
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(words: "\(path): \(String(cString: strerror(errno)))") }
    defer { if path != "-" { close(descriptor) } }
    var bytes: [UInt8] = []
    let room = 1 << 16
    while true {
      guard StandardFiles.isReady(descriptor, for: POLLIN, withinMilliseconds: 500) else {
        // A terminal or a pipe, to which nobody writes now. A signal ends the command.
        if Signals.haveCome { exit(Signals.exitCode.rawValue) }
        continue
      }
      let count = withUnsafeTemporaryAllocation(byteCount: room, alignment: 1) { buffer in
        let count = Glibc.read(descriptor, buffer.baseAddress, room)
        if count > 0 { bytes += UnsafeRawBufferPointer(rebasing: buffer[..<count]) }
        return count
      }
      if count == 0 { return bytes }
      if count < 0 {
        if errno == EINTR || errno == EAGAIN { continue }
        throw Failure(words: "\(path): \(String(cString: strerror(errno)))")
      }
      guard bytes.count <= bytesMax else { throw Failure(words: "\(path): more than \(bytesMax) bytes") }
    }
  }

  /// Writes the whole file or nothing: the bytes go to a new file in the same folder, which then replaces the old one.
  /// If that fails, this function returns false, and `errno` tells why.
  static func write(_ bytes: [UInt8], to path: String, mode: mode_t = 0o666) -> Bool {
    var known = stat()
    let exists = stat(path, &known) == 0
    // A pipe or a device can't be replaced, so the bytes are simply written to it.
    if exists, known.st_mode & S_IFMT != S_IFREG { return overwrite(bytes, path, O_TRUNC, mode) }
    // A symbolic link to a file that doesn't exist yet: the file is made where the link leads.
    if !exists, lstat(path, &known) == 0 { return overwrite(bytes, path, O_TRUNC, mode) }
    // A symbolic link stays, and the file that it leads to is replaced.
    let target = exists ? resolvedPath(path) ?? path : path
    let folder = target.lastIndex(of: "/").map { target[...$0] } ?? ""
    let new = "\(folder).sync-client.\(getpid()).\(UInt32.random(in: 0...UInt32.max))"
    guard overwrite(bytes, new, O_EXCL, exists ? known.st_mode & 0o7777 : mode) else {
      let failure = errno
      unlink(new)
      // If the folder is read-only and the file is writable, the file is overwritten in place.
      if exists, failure == EACCES || failure == EROFS { return overwrite(bytes, path, O_TRUNC, mode) }
      errno = failure
      return false
    }
    guard rename(new, target) == 0 else {
      let failure = errno
      unlink(new)
      errno = failure
      return false
    }
    return true
  }

  static func isRegular(_ path: String) -> Bool {
    var known = stat()
    return stat(path, &known) == 0 && known.st_mode & S_IFMT == S_IFREG
  }

  private static func overwrite(_ bytes: [UInt8], _ path: String, _ how: Int32, _ mode: mode_t) -> Bool {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | how, mode)
    guard descriptor >= 0 else { return false }
    let isWritten = bytes.withUnsafeBytes { bytes in
      var written = 0
      while written < bytes.count {
        let count = Glibc.write(descriptor, bytes.baseAddress! + written, bytes.count - written)
        if count > 0 { written += count } else if errno != EINTR { return false }
      }
      return true
    }
    let failure = errno
    // The system may report a full disk only now.
    let isClosed = close(descriptor) == 0
    if !isWritten { errno = failure }
    return isWritten && isClosed
  }
}
