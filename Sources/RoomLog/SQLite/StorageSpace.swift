import Glibc

/// The free space on a log's disk.
public enum StorageSpace {
  /// How many bytes this user may still write on the directory's disk. `nil` if the system doesn't tell.
  public static func freeBytes(at directory: String) -> UInt64? {
    var status = statvfs()
    guard statvfs(directory, &status) == 0 else { return nil }
    return UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue
  }
}
