import Glibc

/// The system calls by which the log reads and syncs its directory's files. Tests replace them, together with SQLite's
/// virtual file system.
struct FileLook: Sendable {
  /// The identity of the file at `path`. `nil` if there is no file.
  var identity: @Sendable (_ path: String) -> FileIdentity? = { SystemCalls.file(at: $0) }
  /// Exactly `count` bytes of a file, starting at the offset `place`. `nil` if it has fewer.
  var read: @Sendable (_ path: String, _ count: Int, _ place: Int) -> [UInt8]? = {
    SystemCalls.read($0, count: $1, at: $2)
  }
  /// Checks that this process may use the file as `mode` says. Returns 0, or the system's error.
  var right: @Sendable (_ path: String, _ mode: Int32) -> Int32 = { access($0, $1) == 0 ? 0 : errno }
  /// Syncs a file, or a directory. Returns 0, or the system's error.
  var sync: @Sendable (_ path: String) -> Int32 = { SystemCalls.sync($0) }
}
