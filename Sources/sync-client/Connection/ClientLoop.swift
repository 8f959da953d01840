import Glibc
import WebSocketLoop

/// The actor of the process's only event loop. Sockets, replicas and commands all run on it.
///
/// The loop's callbacks come on its thread, so they enter the actor with `assumeIsolated`. Starting a task for each
/// message would cost a thread switch.
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

  /// Enters the actor in a callback of the loop. The compiler can't know that the callback is on the loop's thread.
  nonisolated static func assumeIsolated<Value: Sendable>(
    _ work: @ClientLoop () throws -> Value
  ) rethrows -> Value {
    shared.preconditionIsolated()
    return try withoutActuallyEscaping(work) { work in
      // The two closure types differ only in their isolation, which was checked above.
      try unsafeBitCast(work, to: (() throws -> Value).self)()
    }
  }

  /// Sleeps. Throws at once if the task is cancelled.
  @ClientLoop
  static func pause(milliseconds: UInt64) async throws {
    try await Task.sleep(nanoseconds: milliseconds * 1_000_000)
  }
}
