import Glibc

/// The rooms to which only operators may write. A file stores their names, one on each line, so that the rooms are
/// still locked after a restart.
struct RoomLocks: Sendable {
  /// The file of the locks. `nil` if they are not stored in a file.
  private let path: String?
  private(set) var names: Set<String> = []

  /// Begins without locks, and with no file to store them in.
  init() { path = nil }

  /// - Parameter path: the file of locks. It may be missing.
  init(path: String) throws(StateFileFault) {
    self.path = path
    guard access(path, F_OK) == 0 || errno != ENOENT else { return }
    guard let file = fopen(path, "re") else { throw StateFileFault() }
    defer { fclose(file) }
    var line: UnsafeMutablePointer<CChar>?
    var room = 0
    defer { free(line) }
    while getline(&line, &room, file) > 0, let text = line {
      let name = String(cString: text).filter { $0 != "\n" }
      guard RoomName.canBegin(with: name) else { throw StateFileFault(words: "\(name) is not a room name") }
      names.insert(name)
    }
  }

  /// Makes the locks that a log stores. No file stores these locks.
  init(_ names: Set<String>) {
    path = nil
    self.names = names
  }

  /// The rooms that are locked either here or in `other`, but not in both.
  func differences(from other: RoomLocks) -> Set<String> { names.symmetricDifference(other.names) }

  func contains(_ room: String) -> Bool { names.contains(room) }

  /// Locks a room or unlocks it, in memory only. `store` makes the change durable.
  mutating func set(_ room: String, isLocked: Bool) {
    if isLocked { names.insert(room) } else { names.remove(room) }
  }

  /// Writes the locks to the file.
  /// - Returns: why the file can't be written. `nil` if it was written.
  func store() -> StateFileFault? {
    guard let path else { return nil }
    do throws(StateFileFault) {
      try StateFile.write(names.sorted().map { $0 + "\n" }.joined().utf8, to: path)
      return nil
    } catch {
      return error
    }
  }
}
