import Glibc

/// The free space on the disk where a log is stored.
public enum StorageSpace {
  /// The bytes that this user may still write on the directory's disk. `nil` if the system doesn't say.
  public static func freeBytes(at directory: String) -> UInt64? {
    var status = statvfs()
    guard statvfs(directory, &status) == 0 else { return nil }
    return UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue
  }
}
