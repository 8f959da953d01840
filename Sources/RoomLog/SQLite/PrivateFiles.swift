import Glibc

/// The files of a data directory are for the user who runs the server. They hold every drawing.
///
/// The group's rights stay as they are: an operator may have given them to the user that makes backups.
enum PrivateFiles {
  private static let names = ["canvas.db", "canvas.db-wal", "canvas.db-shm", "canvas.lock"]
  private static let rightsOfOthers: mode_t = 0o007

  /// Takes away the rights of all other users to the files.
  /// - Returns: the paths of the files that others had rights to.
  static func close(in directory: String) -> [String] {
    names.compactMap { name in
      let path = directory + "/" + name
      var status = stat()
      guard stat(path, &status) == 0, status.st_mode & rightsOfOthers != 0 else { return nil }
      // This fails for another user's file, which the operator has to change. The path is reported in any case.
      _ = chmod(path, status.st_mode & 0o7777 & ~rightsOfOthers)
      return path
    }
  }
}
