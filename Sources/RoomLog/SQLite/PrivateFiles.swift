import Glibc

/// Keeps other users of the machine from reading a data directory, which contains all drawings.
///
/// The group's rights stay, because an operator might have given them to the user who makes backups.
enum PrivateFiles {
  private static let names = ["canvas.db", "canvas.db-wal", "canvas.db-shm", "canvas.lock"]
  private static let rightsOfOthers: mode_t = 0o007

  /// Removes all rights from everyone but the owner and the group.
  /// - Returns: the files that other users had rights to.
  static func close(in directory: String) -> [String] {
    names.compactMap { name in
      let path = directory + "/" + name
      var status = stat()
      guard stat(path, &status) == 0, status.st_mode & rightsOfOthers != 0 else { return nil }
      // This fails if the file belongs to another user. The path is still returned, so that the operator learns of it.
      _ = chmod(path, status.st_mode & 0o7777 & ~rightsOfOthers)
      return path
    }
  }
}
