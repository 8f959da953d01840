import Glibc

/// Copies all rooms as of one moment, while a server goes on.
public enum LogBackup {
  /// The ending of a copy's name while the copy is being made. Without it, somebody could mistake a part of a copy for
  /// a whole copy.
  public static let unfinished = ".unfinished"

  /// Copies the database at `path` to `copy` and makes the copy durable. There must be no file at `copy` yet. If the
  /// process is killed, none is there.
  /// - Parameter secret: the secret behind the actors' keys, for a copy of a database that doesn't have the secret.
  public static func make(
    of path: String,
    to copy: String,
    secret: [UInt8]? = nil,
    options: SQLiteOptions = SQLiteOptions()
  ) throws(StorageFault) {
    let new = copy + unfinished
    // An earlier process may have been killed and have left an unfinished copy.
    discard(new)
    do throws(StorageFault) {
      try write(path, to: new, secret: secret, options: options)
      try finish(new, as: copy)
    } catch {
      discard(new)
      throw error
    }
  }

  private static func discard(_ copy: String) { for end in ["", "-journal"] { unlink(copy + end) } }

  /// Gives a finished copy its name. The copy is a file or a directory.
  public static func finish(_ new: String, as copy: String) throws(StorageFault) {
    // The copy took time, and somebody may have made another one meanwhile.
    guard access(copy, F_OK) != 0 else {
      throw .inputOutput(path: copy, detail: SystemCalls.words(for: EEXIST))
    }
    guard rename(new, copy) == 0 else {
      throw .inputOutput(path: copy, detail: SystemCalls.words(for: errno))
    }
    let error = SystemCalls.sync(SystemCalls.folder(of: copy))
    guard error == 0 else { throw .syncFailed(path: copy, detail: SystemCalls.words(for: error)) }
  }

  /// Makes a durable copy. There must be no file at `copy` yet, and an unfinished copy stays there.
  ///
  /// The copy is made in one reading transaction. So the copy is consistent however much is written meanwhile, and no
  /// writer waits for it. Until it is finished, the write-ahead log can't be cleared, and grows.
  static func write(
    _ path: String,
    to copy: String,
    secret: [UInt8]? = nil,
    options: SQLiteOptions
  ) throws(StorageFault) {
    guard options.files.identity(path) != nil else { throw .missing(path: path) }
    let database = try attempt(path) { () throws(SQLiteFailure) in
      let database = try Database(path: path, mayCreate: false, mayWrite: false, fileSystem: options.fileSystem)
      try database.run("PRAGMA busy_timeout=\(options.lockedMillisecondsMax)")
      return database
    }
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

  /// Gives the copy a mark of its own. Otherwise, if the copy were put back later, the server would take it for the
  /// database that its clients know, and their cursors for places in it.
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
