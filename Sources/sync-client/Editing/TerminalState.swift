import Basics
import CanvasCRDT
import Glibc

/// What a user's commands remember of a room: the replica's actor and clock, and the undo steps. Each server and room
/// has its own folder, `$XDG_STATE_HOME/canvassync` or `~/.local/state/canvassync`.
///
/// Unanswered edits aren't stored, so no later command sends them.
///
/// A lock makes commands use the state one at a time. Two commands with the same actor would disconnect each other, and
/// make equal stamps.
///
///     8 bytes       the length of the saved replica, highest byte first
///     replica       as the core saves it, without the drawing
///     history       as the core saves it; both have a checksum of their own
@ClientLoop
final class TerminalState {
  private let path: String
  private let lock: Int32
  private let output: Output

  private init(path: String, lock: Int32, _ output: Output) {
    self.path = path
    self.lock = lock
    self.output = output
  }

  /// Opens the state. Waits for `patience` while another command uses it. `nil` if there is nowhere to store it.
  static func open(
    _ room: RoomName,
    _ invocation: Invocation,
    withinMilliseconds patience: UInt64
  ) async throws -> TerminalState? {
    let server = invocation.server
    let output = invocation.output
    guard let directory = directory(invocation.environment) else { return nil }
    // With the prefix every room's name is a valid file name, even `.` and `..`.
    let folder = "\(directory)/\(server.host.filter { $0 != "/" })_\(server.port)/rooms/room.\(room.text)"
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
    let begun = SteadyClock.milliseconds()
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard SteadyClock.milliseconds() - begun < patience else {
        close(descriptor)
        throw ClientFailure.tryAgainLater("another command of yours is still writing to \(room.text)")
      }
      try await ClientLoop.pause(milliseconds: 10)
    }
    return TerminalState(path: "\(folder)/state", lock: descriptor, output)
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

  /// The saved replica. `nil` if there is none or it can't be read. A file of which a part can't be read is kept under
  /// another name, because the next `save` would replace it.
  func restore(_ configuration: ReplicaConfiguration) -> Replica? {
    guard access(path, F_OK) == 0 else { return nil }
    let (replica, isWhole) = read(configuration)
    if !isWhole {
      let kept = "\(path).damaged"
      let fate = rename(path, kept) == 0 ? "it is kept as \(kept)" : "it will be replaced"
      output.notice("damaged_state", "\(path) can't be read; \(fate), and undo will not know of earlier edits")
    }
    return replica
  }

  /// - Returns: the replica as far as it can be read, and whether that is everything.
  private func read(_ configuration: ReplicaConfiguration) -> (replica: Replica?, isWhole: Bool) {
    guard let bytes = try? FileBytes.read(path, bytesMax: 256 << 20), bytes.count > 8 else { return (nil, false) }
    let length = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    guard length <= UInt64(bytes.count - 8) else { return (nil, false) }
    let body = bytes.dropFirst(8)
    let seed = UInt64.random(in: 0...UInt64.max)
    guard
      var replica = try? Replica(
        saved: Array(body.prefix(Int(length))),
        configuration: configuration,
        seed: seed
      )
    else { return (nil, false) }
    do {
      try replica.restoreHistory(Array(body.dropFirst(Int(length))))
    } catch {
      // Without its history the replica is used all the same, because it is still the same actor.
      return (replica, false)
    }
    return (replica, true)
  }

  /// - Parameter history: the undo steps, as the core saves them.
  /// - Returns: why the state could not be saved. `nil` if it is saved.
  func save(_ replica: Replica, history: [UInt8]) -> String? {
    let saved = replica.save(withDrawing: false, withEdits: false)
    var bytes: [UInt8] = []
    for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: saved.count >> shift)) }
    bytes += saved
    bytes += history
    return FileBytes.write(bytes, to: path, mode: 0o600) ? nil : "\(path): \(String(cString: strerror(errno)))"
  }

  deinit { close(lock) }
}
