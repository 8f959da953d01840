import CFiles
import Glibc

/// Copies a whole database of rooms while a server goes on writing to it.
public enum LogBackup {
  /// The suffix of a copy's name until the copy is complete, so that nobody mistakes a partial copy for a complete one.
  public static let unfinished = ".unfinished"

  /// Copies the database at `path` to `copy`, and syncs the copy to the disk. There must be no file at `copy` yet. If
  /// the process is killed halfway, no file appears there.
  /// - Parameter secret: a secret to store in the copy, for a database that has none.
  public static func make(
    of path: String,
    to copy: String,
    secret: [UInt8]? = nil,
    options: SQLiteOptions = SQLiteOptions()
  ) throws(StorageFault) {
    let new = copy + unfinished
    let claim = try claim(new)
    defer { close(claim) }
    do throws(StorageFault) {
      try write(path, to: new, secret: secret, options: options)
      try finish(new, as: copy)
    } catch {
      discard(new)
      throw error
    }
  }

  /// Makes an empty file for an unfinished copy, and locks the file, so that no other process uses the same file. The
  /// kernel frees the lock when this process ends. If an earlier process was killed and left an unfinished copy, that
  /// file is removed rather than used again: others might be able to read it, or have it open.
  /// - Returns: the descriptor that holds the lock.
  private static func claim(_ new: String) throws(StorageFault) -> Int32 {
    let left = open(new, O_RDWR | O_CLOEXEC)
    // Stays locked until the new file is locked. So nobody else removes the new file as one that was left.
    defer { if left >= 0 { close(left) } }
    if left >= 0 {
      guard holds(left, new) else { throw .locked(path: new) }
      unlink(new)
    }
    let descriptor = NewFile.create(new)
    guard descriptor >= 0 else { throw .inputOutput(path: new, detail: SystemCalls.words(for: errno)) }
    guard holds(descriptor, new) else {
      close(descriptor)
      throw .locked(path: new)
    }
    unlink(new + "-journal")
    return descriptor
  }

  /// Locks a file that was opened by its path.
  /// - Returns: false if another process has it locked, or if the path has another file by now: that process might have
  ///   finished its copy and renamed the file. Then this lock would be on the finished copy.
  private static func holds(_ descriptor: Int32, _ path: String) -> Bool {
    var (held, named) = (stat(), stat())
    return flock(descriptor, LOCK_EX | LOCK_NB) == 0 && fstat(descriptor, &held) == 0 && lstat(path, &named) == 0
      && held.st_ino == named.st_ino
  }

  private static func discard(_ copy: String) { for end in ["", "-journal"] { unlink(copy + end) } }

  /// Whether a path has a file, a directory or a link, even one that leads nowhere.
  public static func isTaken(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// Renames a finished copy from `new` to `copy`. The copy may be a file or a directory. If `copy` exists, it throws,
  /// and the copy stays at `new`.
  public static func finish(_ new: String, as copy: String) throws(StorageFault) {
    // Another process might have put a copy at this path while this copy was being written.
    guard cfiles_rename_new(new, copy) == 0 else {
      throw .inputOutput(path: copy, detail: SystemCalls.words(for: errno))
    }
    let error = SystemCalls.sync(SystemCalls.folder(of: copy))
    guard error == 0 else { throw .syncFailed(path: copy, detail: SystemCalls.words(for: error)) }
  }

  /// Makes a durable copy. The file at `copy` must be missing or empty. A failure leaves a partial copy there.
  ///
  /// The copy is made in one read transaction. So it is consistent, and no writer waits for it. The write-ahead log
  /// grows until the copy is finished.
  static func write(
    _ path: String,
    to copy: String,
    secret: [UInt8]? = nil,
    options: SQLiteOptions
  ) throws(StorageFault) {
    guard options.files.identity(path) != nil else { throw .missing(path: path) }
    let database = try OpenedDirectory.open(path, mayCreate: false, mayWrite: false, options: options)
    do throws(SQLiteFailure) {
      let copying = try database.statement("VACUUM INTO ?1")
      copying.bind(1, copy)
      try copying.run()
    } catch {
      throw error.fault(path: error.isOfReading ? path : copy)
    }
    try mark(copy, secret, options)
    for place in [copy, SystemCalls.folder(of: copy)] {
      let error = options.files.sync(place)
      guard error == 0 else { throw .syncFailed(path: place, detail: SystemCalls.words(for: error)) }
    }
  }

  /// Stores a new random mark in the copy. If an operator later restores the copy, the server sees from the mark that
  /// its clients' cursors belong to another database.
  private static func mark(_ copy: String, _ secret: [UInt8]?, _ options: SQLiteOptions) throws(StorageFault) {
    try attempt(copy) { () throws(SQLiteFailure) in
      let database = try Database(path: copy, mayCreate: false, fileSystem: options.fileSystem)
      let put = try database.statement("INSERT OR REPLACE INTO marks(name, value) VALUES('directory', ?1)")
      put.bind(1, options.random())
      try put.run()
      if let secret { try Secret.put(secret, in: database) }
    }
  }
}
