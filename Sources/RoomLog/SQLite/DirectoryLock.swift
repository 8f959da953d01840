import Glibc

/// An exclusive lock on a data directory, so that only one process opens the rooms in it.
///
/// It is a kernel lock on `canvas.lock`, so it ends even if the process crashes. The file has the process's number, for
/// the message that a second process prints.
///
/// The file and the directory's database also have the same random mark. If the marks differ, the database comes from
/// elsewhere, such as a backup.
final class DirectoryLock {
  private var descriptor: Int32
  let path: String
  /// The random mark of the directory's own database. While the mark is being changed, both the old and the new one are
  /// valid.
  private(set) var marks: [UInt64] = []

  init(directory: String) throws(StorageFault) {
    path = directory + "/canvas.lock"
    if !NewFile.makeDirectory(directory), errno != EEXIST {
      if errno == EROFS { throw .readOnly(path: directory) }
      throw SystemCalls.isNoRight(errno) ? .noRight(path: directory) : .noDirectory(path: directory)
    }
    // A new directory is durable once its parent is synced. A failure is ignored, because this user may lack the right
    // to sync the parent.
    _ = SystemCalls.sync(SystemCalls.folder(of: directory))
    descriptor = NewFile.open(orCreate: path)
    guard descriptor >= 0 else {
      switch errno {
      case EACCES, EPERM: throw .noRight(path: directory)
      case EROFS: throw .readOnly(path: directory)
      case ENOSPC, EDQUOT: throw .diskFull(path: directory)
      case ENOTDIR: throw .unfit("\(directory) is a file; this takes a data directory")
      case ENOENT: throw .noDirectory(path: directory)
      default: throw .inputOutput(path: path, detail: SystemCalls.words(for: errno))
      }
    }
    let isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0
    let words = DirectoryLock.words(in: descriptor)
    // All properties are set, so `deinit` closes the file if this throws.
    guard isLocked else { throw .inUse(path: directory, process: words.first.flatMap { Int32($0) }) }
    marks = words.dropFirst().compactMap { UInt64($0, radix: 16) }
  }

  deinit { release() }

  func release() {
    guard descriptor >= 0 else { return }
    // Unlocks before closing. A child process that is just being started can still have a copy of the descriptor, which
    // would keep the file locked.
    flock(descriptor, LOCK_UN)
    close(descriptor)
    descriptor = -1
  }

  /// Writes to the lock file which marks the directory's own database can have, and syncs the file.
  func write(marks: [UInt64]) throws(StorageFault) {
    let text = Array("\(getpid()) \(marks.map { String($0, radix: 16) }.joined(separator: " "))\n".utf8)
    let isWritten =
      text.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) } == text.count
      && ftruncate(descriptor, text.count) == 0 && fsync(descriptor) == 0
    guard isWritten else {
      throw SystemCalls.isDiskFull(errno)
        ? .diskFull(path: path) : .inputOutput(path: path, detail: SystemCalls.words(for: errno))
    }
    self.marks = marks
  }

  private static func words(in descriptor: Int32) -> [Substring] {
    var buffer = [UInt8](repeating: 0, count: 64)
    let count = buffer.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    guard count > 0 else { return [] }
    return String(decoding: buffer.prefix(count), as: UTF8.self).split { $0 == " " || $0 == "\n" }
  }
}
