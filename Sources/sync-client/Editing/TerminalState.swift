import CanvasCRDT
import Glibc

/// The state of a room that a user's commands pass on from one to the next: the replica's actor and clock, and the undo
/// steps. An edit belongs to the command that made it: if that command ends before the server has answered, no later
/// command sends the edit, so the state has none. Each server and room has its own folder under
/// `$XDG_STATE_HOME/canvassync`, or else `~/.local/state/canvassync`, so that two rooms never use the same files.
///
/// A lock lets one command use it at a time. Two commands with the same actor would disconnect each other and make
/// equal stamps.
///
///     8 bytes       the length of the saved replica, highest byte first
///     replica       as the core saves it, without the drawing
///     history       as the core saves it; both have a checksum of their own
@ClientLoop
final class TerminalState {
  private let path: String
  /// The path that earlier versions used. It is read as long as there is no file at the newer path.
  private let formerPath: String
  private let lock: Int32
  private let output: Output

  private init(path: String, formerPath: String, lock: Int32, _ output: Output) {
    self.path = path
    self.formerPath = formerPath
    self.lock = lock
    self.output = output
  }

  /// Opens the state. If another command has locked it, this waits up to fifteen seconds. `nil` if there is no place to
  /// store the state.
  static func open(_ room: RoomName, _ invocation: Invocation) async throws -> TerminalState? {
    let server = invocation.server
    let output = invocation.output
    guard let directory = directory(invocation.environment) else { return nil }
    let place = "\(directory)/\(server.host.filter { $0 != "/" })_\(server.port)"
    // The prefix makes every room's name a valid file name. Without it, `.` and `..` would not be.
    let folder = "\(place)/rooms/room.\(room.text)"
    guard makeDirectories(folder) else {
      output.notice("no_state", "\(folder): \(String(cString: strerror(errno))); undo will not know of this edit")
      return nil
    }
    let lock = "\(folder)/lock"
    let descriptor = Glibc.open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      output.notice("no_state", "\(lock): \(String(cString: strerror(errno))); undo will not know of this edit")
      return nil
    }
    let deadline = Clocks.monotonicMilliseconds() + 15_000
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard Clocks.monotonicMilliseconds() < deadline else {
        close(descriptor)
        throw ClientFailure.failed("another command of yours is still writing to \(room.text)")
      }
      try await ClientLoop.pause(milliseconds: 10)
    }
    let former = "\(place)/room.\(room.text)"
    return TerminalState(path: "\(folder)/state", formerPath: former, lock: descriptor, output)
  }

  private static func directory(_ environment: [String: String]) -> String? {
    if let base = environment["XDG_STATE_HOME"], base.hasPrefix("/") { return "\(base)/canvassync" }
    guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
    return "\(home)/.local/state/canvassync"
  }

  private static func makeDirectories(_ path: String) -> Bool {
    var made = ""
    for part in path.split(separator: "/") {
      made += "/\(part)"
      if mkdir(made, 0o700) != 0, errno != EEXIST { return false }
    }
    return true
  }

  /// The replica that the last command saved; nil if there is none or it can't be read.
  func restore(_ configuration: ReplicaConfiguration) -> Replica? {
    guard let bytes = readFile(), bytes.count > 8 else { return nil }
    let length = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    guard length <= UInt64(bytes.count - 8) else { return nil }
    let body = bytes.dropFirst(8)
    let seed = UInt64.random(in: 0...UInt64.max)
    guard
      var replica = try? Replica(
        saved: Array(body.prefix(Int(length))),
        configuration: configuration,
        seed: seed
      )
    else { return nil }
    // If the history can't be restored, the replica is still the same actor, so it is used without a history.
    try? replica.restoreHistory(Array(body.dropFirst(Int(length))))
    return replica
  }

  /// - Parameter history: the undo steps, in the core's saved form.
  func save(_ replica: Replica, history: [UInt8]) {
    let saved = replica.save(withDrawing: false, withEdits: false)
    var bytes: [UInt8] = []
    for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: saved.count >> shift)) }
    bytes += saved
    bytes += history
    guard FileBytes.write(bytes, to: path, mode: 0o600) else {
      output.notice("no_state", "\(path): \(String(cString: strerror(errno))); undo will not know of this edit")
      return
    }
  }

  private func readFile() -> [UInt8]? {
    for path in [path, formerPath] {
      if let bytes = try? FileBytes.read(path, bytesMax: 256 << 20) { return bytes }
    }
    return nil
  }

  deinit { close(lock) }
}
