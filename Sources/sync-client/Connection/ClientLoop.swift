import Glibc
import WebSocketLoop

/// The one loop of the process, and the isolation of all that lives on it: sockets, replicas, commands.
///
/// A callback of the loop is on its thread already and enters with `assumeIsolated`: no task and no hop for a message.
@globalActor
actor ClientLoop {
  static let shared = ClientLoop()

  nonisolated let loop: EventLoop

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private init() {
    do {
      loop = try EventLoop(name: "client", speaksTLS: true)
    } catch {
      Output.complain("no event loop could be made: \(error)")
      exit(ExitCode.failed.rawValue)
    }
  }

  /// For callbacks that the loop makes on its own thread, which the compiler can't know.
  nonisolated static func assumeIsolated<Value: Sendable>(
    _ work: @ClientLoop () throws -> Value
  ) rethrows -> Value {
    shared.preconditionIsolated()
    return try withoutActuallyEscaping(work) { work in
      // The two types differ in the isolation alone, which has just been checked.
      try unsafeBitCast(work, to: (() throws -> Value).self)()
    }
  }

  /// Lets so much time pass; a cancelled task gets on at once, by an error.
  @ClientLoop
  static func pause(milliseconds: UInt64) async throws {
    try await Task.sleep(nanoseconds: milliseconds * 1_000_000)
  }
}
