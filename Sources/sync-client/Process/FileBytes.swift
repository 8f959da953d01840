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
  /// It gets the old one's owner and mode. A file that can't be replaced like that is overwritten in place. If that
  /// fails, this function returns false, and `errno` tells why.
  static func write(_ bytes: [UInt8], to path: String, mode: mode_t = 0o666) -> Bool {
    var known = stat()
    let exists = stat(path, &known) == 0
    // A pipe or a device can't be replaced, so the bytes are simply written to it.
    if exists, known.st_mode & S_IFMT != S_IFREG {
      return overwrite(bytes, path, O_TRUNC, isPipe: known.st_mode & S_IFMT == S_IFIFO)
    }
    // A symbolic link to a file that doesn't exist yet: the file is made where the link leads.
    if !exists, lstat(path, &known) == 0 { return overwrite(bytes, path, O_CREAT | O_TRUNC, mode) }
    // A symbolic link stays, and the file that it leads to is replaced.
    let target = exists ? resolvedPath(path) ?? path : path
    let folder = target.lastIndex(of: "/").map { target[...$0] } ?? ""
    let new = "\(folder).sync-client.\(getpid()).\(UInt32.random(in: 0...UInt32.max))"
    // Until it has the old file's owner and mode, nobody else may open the new one.
    let isWritten = overwrite(bytes, new, O_CREAT | O_EXCL, exists ? 0o600 : mode)
    if isWritten, !exists || give(new, ownerAndModeOf: known), rename(new, target) == 0 { return true }
    var failure = errno
    // The folder is read-only, the file belongs to somebody else, or it is mounted by itself, as into a container.
    if exists, [EACCES, EBUSY, EPERM, EROFS].contains(failure) {
      if overwrite(bytes, path, O_TRUNC) {
        unlink(new)
        return true
      }
      failure = errno
      // Whoever can't write to a file may still be allowed to replace it.
      if isWritten, chmod(new, known.st_mode & 0o777) == 0, rename(new, target) == 0 { return true }
    }
    unlink(new)
    errno = failure
    return false
  }

  /// - Returns: false if that isn't possible. A file of this user's may get another group, if they aren't in the old one.
  private static func give(_ path: String, ownerAndModeOf old: stat) -> Bool {
    if chown(path, old.st_uid, old.st_gid) == 0 { return chmod(path, old.st_mode & 0o7777) == 0 }
    return old.st_uid == geteuid() && chmod(path, old.st_mode & 0o777) == 0
  }

  static func isRegular(_ path: String) -> Bool {
    var known = stat()
    return stat(path, &known) == 0 && known.st_mode & S_IFMT == S_IFREG
  }

  /// - Parameter isPipe: whether to wait until somebody reads.
  private static func overwrite(
    _ bytes: [UInt8],
    _ path: String,
    _ how: Int32,
    _ mode: mode_t = 0,
    isPipe: Bool = false
  ) -> Bool {
    // A named pipe is opened without waiting for a reader, because no signal would end that.
    let how = O_WRONLY | O_NONBLOCK | O_CLOEXEC | how
    var descriptor = open(path, how, mode)
    while descriptor < 0, errno == ENXIO, isPipe {
      if Signals.haveCome { exit(Signals.exitCode.rawValue) }
      usleep(50_000)
      descriptor = open(path, how, mode)
    }
    guard descriptor >= 0 else { return false }
    let failure = StandardFiles.write(bytes, to: descriptor)
    // The system may report a full disk only now.
    let isClosed = close(descriptor) == 0
    if let failure { errno = failure }
    return failure == nil && isClosed
  }
}
