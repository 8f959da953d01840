import Glibc

/// Copies all rooms as of one moment, while a server goes on.
public enum LogBackup {
  /// Copies the database at `path` to `copy` and makes the copy durable. There must be no file at `copy` yet.
  ///
  /// The copy is made in one reading transaction. So it is whole however much is written meanwhile, and nobody waits
  /// for it. The write-ahead log can't be cleared until it is done, and grows.
  /// - Parameter secret: by which people are known, where the database may not have it.
  public static func make(of path: String, to copy: String, secret: [UInt8]? = nil) throws(StorageFault) {
    guard SystemCalls.file(at: path) != nil else { throw .missing(path: path) }
    try attempt(path) { () throws(SQLiteFailure) in
      let database = try Database(path: path, mayCreate: false, mayWrite: false, fileSystem: nil)
      try database.run("PRAGMA busy_timeout=1000")
      let copying = try database.statement("VACUUM INTO ?1")
      copying.bind(1, copy)
      try copying.run()
    }
    try mark(copy, secret)
    try sync(copy)
  }

  /// Gives the copy a mark of its own. Suppose that it kept the original's mark and was put back later: the server
  /// would take it for the database that its clients know, and would take their cursors for places in it.
  private static func mark(_ copy: String, _ secret: [UInt8]?) throws(StorageFault) {
    try attempt(copy) { () throws(SQLiteFailure) in
      let database = try Database(path: copy, mayCreate: false, fileSystem: nil)
      let put = try database.statement("INSERT OR REPLACE INTO marks(name, value) VALUES('directory', ?1)")
      put.bind(1, UInt64.random(in: .min ... .max))
      try put.run()
      if let secret { try Secret.put(secret, in: database) }
    }
  }

  private static func sync(_ copy: String) throws(StorageFault) {
    let folder = copy.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    for place in [copy, copy.hasPrefix("/") && folder.isEmpty ? "/" : folder.isEmpty ? "." : folder] {
      let descriptor = open(place, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw .inputOutput(path: place, detail: SystemCalls.words(for: errno)) }
      defer { close(descriptor) }
      guard fsync(descriptor) == 0 else { throw .syncFailed(path: place, detail: SystemCalls.words(for: errno)) }
    }
  }
}
