import Glibc

/// The system calls that the log makes itself. SQLite makes others.
enum SystemCalls {
  static func words(for error: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 128)
    guard let words = unsafe_strerror(error, &buffer) else { return "error \(error)" }
    return words
  }

  private static func unsafe_strerror(_ error: Int32, _ buffer: inout [CChar]) -> String? {
    // Swift imports the portable version of `strerror_r`, which fills the buffer. GNU's version would return a pointer.
    guard strerror_r(error, &buffer, buffer.count) == 0 else { return nil }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  static func isDiskFull(_ error: Int32) -> Bool { error == ENOSPC || error == EDQUOT || error == EFBIG }
  static func isNoRight(_ error: Int32) -> Bool { error == EACCES || error == EPERM }
  static func isReadOnly(_ error: Int32) -> Bool { error == EROFS }

  /// The identity (device and inode) and the size of a file. `nil` if there is none.
  static func file(at path: String) -> FileIdentity? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return FileIdentity(device: UInt64(status.st_dev), number: UInt64(status.st_ino), bytes: Int(status.st_size))
  }

  /// Exactly `count` bytes of a file, starting at the offset `place`. `nil` if it has fewer.
  static func read(_ path: String, count: Int, at place: Int) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: count)
    return pread(descriptor, &bytes, count, place) == count ? bytes : nil
  }

  /// Syncs a file, or a directory.
  /// - Returns: 0, or the system's error.
  static func sync(_ path: String) -> Int32 {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    return fsync(descriptor) == 0 ? 0 : errno
  }

  /// The parent directory of a path.
  static func folder(of path: String) -> String {
    guard let end = path.lastIndex(of: "/") else { return "." }
    return end == path.startIndex ? "/" : String(path[..<end])
  }
}

struct FileIdentity {
  var device: UInt64
  var number: UInt64
  var bytes: Int

  func isSameFile(as other: FileIdentity) -> Bool { device == other.device && number == other.number }
}
