import Glibc

/// New files and directories of a stored log. If root makes one, with a command on the log, it is given to the owner of
/// the directory in which it is. Otherwise the service, which runs as another user, couldn't open it.
///
/// A file that exists keeps its owner: it may be a link that the directory's owner has put there, to any file.
public enum NewFile {
  /// Makes a file that only its owner can use, and opens it.
  /// - Returns: the descriptor; -1 if the file can't be made, or exists already (`errno` is then `EEXIST`).
  public static func create(_ path: String) -> Int32 {
    let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0, let owner = owner(ofFolderOf: path) else { return descriptor }
    // If this fails, the file is root's, as without this.
    _ = fchown(descriptor, owner.user, owner.group)
    return descriptor
  }

  /// Makes a directory that only its owner can use.
  /// - Returns: whether it was made. If not, `errno` tells why.
  public static func makeDirectory(_ path: String) -> Bool {
    guard mkdir(path, 0o700) == 0 else { return false }
    if let owner = owner(ofFolderOf: path) { _ = lchown(path, owner.user, owner.group) }
    return true
  }

  /// Opens a file, or makes it.
  static func open(orCreate path: String) -> Int32 {
    let descriptor = create(path)
    return descriptor < 0 && errno == EEXIST ? Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) : descriptor
  }

  /// Makes an empty file, if it is to have another owner than this process. For a file that SQLite makes otherwise. What
  /// SQLite makes beside a database gets the owner of the database.
  static func prepare(_ path: String) {
    guard owner(ofFolderOf: path) != nil else { return }
    let descriptor = create(path)
    if descriptor >= 0 { close(descriptor) }
  }

  /// Who is to get a new file. `nil` if that is this process's user, or can't be anybody else.
  private static func owner(ofFolderOf path: String) -> (user: uid_t, group: gid_t)? {
    var folder = stat()
    guard geteuid() == 0, stat(SystemCalls.folder(of: path), &folder) == 0, folder.st_uid != 0 else { return nil }
    return (folder.st_uid, folder.st_gid)
  }
}
