import Glibc
import WebSocketLoop

/// The process's only event loop, and the isolation of everything that runs on the loop: sockets, replicas, commands.
///
/// The loop calls back on its own thread, so a callback enters the isolation with `assumeIsolated`, instead of starting
/// a task and switching threads for each message.
@globalActor
actor ClientLoop {
  static let shared = ClientLoop()

  nonisolated let loop: EventLoop

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private init() {
    do {
      loop = try EventLoop(name: "client", speaksTLS: true)
    } catch {
      Output().complain(.failed("can't create an event loop: \(error)"))
      exit(ExitCode.failed.rawValue)
    }
  }

  /// Enters the isolation from the loop's callbacks, because the compiler can't know that they run on the loop's
  /// thread.
  nonisolated static func assumeIsolated<Value: Sendable>(
    _ work: @ClientLoop () throws -> Value
  ) rethrows -> Value {
    shared.preconditionIsolated()
    return try withoutActuallyEscaping(work) { work in
      // The types of both closures differ only in the isolation, which has just been checked.
      try unsafeBitCast(work, to: (() throws -> Value).self)()
    }
  }

  /// Sleeps. If the task is cancelled, this throws at once.
  @ClientLoop
  static func pause(milliseconds: UInt64) async throws {
    try await Task.sleep(nanoseconds: milliseconds * 1_000_000)
  }
}
