/// Copies all rooms as of one moment, while a server goes on.
public enum LogBackup {
  /// Copies the database at `path` to `copy` and makes the copy durable. There must be no file at `copy` yet.
  ///
  /// The copy is made in one reading transaction. So the copy is consistent however much is written meanwhile, and no
  /// writer waits for it. Until it is finished, the write-ahead log can't be cleared, and grows.
  /// - Parameter secret: the secret behind the actors' keys, for a copy of a database that doesn't have the secret.
  public static func make(
    of path: String,
    to copy: String,
    secret: [UInt8]? = nil,
    options: SQLiteOptions = SQLiteOptions()
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

  /// Gives the copy a mark of its own. Suppose that the copy kept the original's mark and were put back later: the
  /// server would take it for the database that its clients know, and their cursors for places in it.
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
