import Glibc

/// A small file in the data directory, beside the log.
enum StateFile {
  /// Writes a whole file and then gives it its name, so that no start finds half of it.
  static func write(_ content: some Sequence<UInt8>, to path: String) throws(StateFileFault) {
    let bytes = Array(content)
    let new = path + ".new"
    unlink(new)
    let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StateFileFault() }
    let isWritten = Glibc.write(descriptor, bytes, bytes.count) == bytes.count && fsync(descriptor) == 0
    let number = errno
    close(descriptor)
    guard isWritten else { throw StateFileFault(number) }
    guard rename(new, path) == 0 else { throw StateFileFault() }
    // Otherwise a power cut could bring back what was there before.
    try syncFolder(of: path)
  }

  private static func syncFolder(of path: String) throws(StateFileFault) {
    let end = path.lastIndex(of: "/")
    let folder = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw StateFileFault() }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw StateFileFault() }
  }
}

/// Why a file in the data directory can't be used, without its path.
struct StateFileFault: Error, Hashable {
  let words: String

  init(words: String) { self.words = words }
  init(_ number: Int32 = errno) { words = String(cString: strerror(number)) }
}
