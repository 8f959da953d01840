import Glibc

/// How the log itself reads and syncs the files of its directory, apart from what SQLite does. Tests replace this
/// value, together with SQLite's virtual file system.
struct FileLook: Sendable {
  /// The identity of the file at a path. `nil` if there is none.
  var identity: @Sendable (_ path: String) -> FileIdentity? = { SystemCalls.file(at: $0) }
  /// Exactly `count` bytes of a file, from `place` on. `nil` if there are fewer.
  var read: @Sendable (_ path: String, _ count: Int, _ place: Int) -> [UInt8]? = {
    SystemCalls.read($0, count: $1, at: $2)
  }
  /// 0 if this process is allowed to use the file as `mode` says. Otherwise the system's error.
  var right: @Sendable (_ path: String, _ mode: Int32) -> Int32 = { access($0, $1) == 0 ? 0 : errno }
  /// Syncs a file, or a folder with the names in it. Returns 0, or the system's error.
  var sync: @Sendable (_ path: String) -> Int32 = { SystemCalls.sync($0) }
}
