import Glibc
import RoomLog

/// A small file in the data directory, beside the log.
enum StateFile {
  /// Writes the whole content under another name, and renames the file when it is complete. So the server never finds
  /// half a file when it starts. When this function returns, the file is durable.
  static func write(
    _ content: some Sequence<UInt8>,
    to path: String,
    on disk: StateDisk = StateDisk()
  ) throws(StateFileFault) {
    let new = path + ".new"
    try check(disk.create(Array(content), new))
    try check(disk.rename(new, path))
    // The folder is synced too: otherwise a power cut could undo the renaming and bring back the older file.
    let end = path.lastIndex(of: "/")
    try check(disk.syncFolder(end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."))
  }

  private static func check(_ error: Int32) throws(StateFileFault) {
    if error != 0 { throw StateFileFault(error) }
  }
}

/// The system calls that `StateFile` makes. Each returns 0 or the system's error. Tests replace them by calls that
/// fail.
struct StateDisk {
  /// Makes a file and syncs its content. The file's name is durable only after `syncFolder`.
  var create: (_ bytes: [UInt8], _ path: String) -> Int32 = { bytes, path in
    unlink(path)
    let descriptor = NewFile.create(path)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { return count == 0 ? EIO : errno }
      rest = rest.dropFirst(count)
    }
    return fsync(descriptor) == 0 ? 0 : errno
  }

  var rename: (_ from: String, _ to: String) -> Int32 = { Glibc.rename($0, $1) == 0 ? 0 : errno }

  /// Syncs a folder, so that the names in it are durable.
  var syncFolder: (_ folder: String) -> Int32 = { folder in
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    return fsync(descriptor) == 0 ? 0 : errno
  }
}

/// Why a file in the data directory can't be used. `words` leave out the path, because the caller adds it.
struct StateFileFault: Error, Hashable {
  let words: String

  init(words: String) { self.words = words }
  init(_ number: Int32 = errno) { words = String(cString: strerror(number)) }
}
