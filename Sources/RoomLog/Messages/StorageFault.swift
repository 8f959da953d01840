/// A problem with the disk or the database under a log, described for the operator.
public enum StorageFault: Error, Hashable, Sendable {
  case noDirectory(path: String)
  /// The process lacks the right to read or write the files.
  case noRight(path: String)
  case readOnly(path: String)
  case diskFull(path: String)
  /// Another server uses the directory.
  case inUse(path: String, process: Int32?)
  /// Another program holds a lock on the database.
  case locked(path: String)
  case notADatabase(path: String)
  /// The database belongs to another program.
  case otherDatabase(path: String)
  case truncated(path: String, bytes: Int, bytesExpected: Int)
  case damaged(path: String, detail: String)
  /// Durable records are missing, although the file reads without errors.
  case recordsGone(path: String, room: String)
  /// The database is missing, although the directory had a database before.
  case missing(path: String)
  /// The database was put here beside the write-ahead log of another one.
  case otherWriteAhead(path: String)
  /// The file was removed or replaced by another while the log was using it.
  case replaced(path: String)
  case newerSchema(path: String, version: Int32, newestKnown: Int32)
  /// A sync failed. The records that were just written count as lost.
  case syncFailed(path: String, detail: String)
  case inputOutput(path: String, detail: String)
  case outOfMemory
  /// An error message of the database, or a timeout. The cause might go away without an operator.
  case database(String)
  /// The database can't be used until an operator removes the cause.
  case unfit(String)
}

extension StorageFault: CustomStringConvertible {
  public var description: String {
    switch self {
    case .noDirectory(let path): "\(path) doesn't exist and can't be created"
    case .noRight(let path): "no permission to write \(path)"
    case .readOnly(let path): "\(path) is read-only"
    case .diskFull(let path): "no space is left for \(path)"
    case .inUse(let path, let process?): "\(path) is in use by another server, process \(process)"
    case .inUse(let path, nil): "\(path) is in use by another server"
    case .locked(let path): "another program has locked \(path)"
    case .notADatabase(let path): "\(path) is not a database"
    case .otherDatabase(let path): "\(path) is a database of another program"
    case .truncated(let path, let bytes, let expected):
      "\(path) is cut short: \(bytes) bytes of \(expected); restore it from a backup"
    case .damaged(let path, let detail): "\(path) is damaged (\(detail)); restore it from a backup"
    case .recordsGone(let path, let room): "\(path) has lost records of room \(room) that had been stored"
    case .missing(let path):
      "\(path) is gone; put it back, or remove canvas.lock beside it to start with no rooms"
    case .otherWriteAhead(let path):
      "\(path)-wal belongs to another database than the one that was put at \(path); remove \(path)-wal, or "
        + "canvas.lock beside it if both were put there together"
    case .replaced(let path): "\(path) was removed or replaced while in use; put it back or restart the server"
    case .newerSchema(let path, let version, let known):
      "\(path) was written by a newer server (schema \(version), this one knows \(known))"
    case .syncFailed(let path, let detail): "the disk failed to store \(path) (\(detail))"
    case .inputOutput(let path, let detail): "reading or writing \(path) failed (\(detail))"
    case .outOfMemory: "out of memory"
    case .database(let words), .unfit(let words): words
    }
  }
}
