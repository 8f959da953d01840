import Glibc

/// Restricts the files of a data directory, which hold every drawing, to the user who runs the server.
///
/// The group's rights stay as they are: an operator may have given them to the user that makes backups.
enum PrivateFiles {
  private static let names = ["canvas.db", "canvas.db-wal", "canvas.db-shm", "canvas.lock"]
  private static let rightsOfOthers: mode_t = 0o007

  /// Takes away the rights that all other users have to the files.
  /// - Returns: the paths of the files that others had rights to.
  static func close(in directory: String) -> [String] {
    names.compactMap { name in
      let path = directory + "/" + name
      var status = stat()
      guard stat(path, &status) == 0, status.st_mode & rightsOfOthers != 0 else { return nil }
      // For a file of another user this fails. The path is returned all the same, so that the operator can change the
      // rights.
      _ = chmod(path, status.st_mode & 0o7777 & ~rightsOfOthers)
      return path
    }
  }
}
