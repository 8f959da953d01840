import Glibc

/// The rooms to which only operators may write. They are kept in a file, one name a line, so that a restart opens none.
struct RoomLocks: Sendable {
  /// `nil` if nothing is stored.
  private let path: String?
  private(set) var names: Set<String> = []

  /// No locks, and none that outlast the process.
  init() { path = nil }

  /// - Parameter path: a file that may be missing.
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
      guard RoomName.isValid(name) else { throw StateFileFault(words: "\(name) is not a room name") }
      names.insert(name)
    }
  }

  /// Those that a log keeps.
  init(_ names: Set<String>) {
    path = nil
    self.names = names
  }

  /// The rooms that are locked here and not there, or there and not here.
  func differences(from other: RoomLocks) -> Set<String> { names.symmetricDifference(other.names) }

  func contains(_ room: String) -> Bool { names.contains(room) }

  /// Locks a room or unlocks it, for good once this returns.
  mutating func set(_ room: String, isLocked: Bool) throws(StateFileFault) {
    var changed = names
    if isLocked { changed.insert(room) } else { changed.remove(room) }
    guard changed != names else { return }
    if let path { try StateFile.write(changed.sorted().map { $0 + "\n" }.joined().utf8, to: path) }
    names = changed
  }
}
