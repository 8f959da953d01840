import Glibc

/// How the log looks at the files of its directory, apart from what SQLite does with them. Tests hand in a disk of their own,
/// together with a virtual file system of SQLite's.
struct FileLook: Sendable {
  /// The file at a path; nil if there is none.
  var identity: @Sendable (_ path: String) -> FileIdentity? = { SystemCalls.file(at: $0) }
  /// Exactly `count` bytes from `place` on; nil where there are fewer.
  var read: @Sendable (_ path: String, _ count: Int, _ place: Int) -> [UInt8]? = {
    SystemCalls.read($0, count: $1, at: $2)
  }
  /// 0 if this process may use the file in the way that `mode` says, or the system's error.
  var right: @Sendable (_ path: String, _ mode: Int32) -> Int32 = { access($0, $1) == 0 ? 0 : errno }
  /// Makes a file durable, or which files a folder has: 0, or the system's error.
  var sync: @Sendable (_ path: String) -> Int32 = { SystemCalls.sync($0) }
}
