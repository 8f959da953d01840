import Glibc
import Synchronization

/// Signals are taken by the main thread, one after the other, and by nobody else: no handler interrupts anything.
///
/// The first that asks the process to end cancels the command, which then ends in order; a second ends it at once.
enum Signals {
  /// Those that ask the process to end. Whoever started it may have had some ignored, as `nohup` has and a shell in the
  /// background: then they stay so.
  private static let ending: [Int32] = [SIGINT, SIGTERM, SIGHUP].filter { !isIgnored($0) }
  private static let received = Atomic<Int32>(0)

  /// For the main thread, before there are others.
  static func block() {
    var set = all()
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Whoever reads our output has gone. Sent to the process as a whole, so that the main thread hears of it.
  static func readerIsGone() {
    kill(getpid(), SIGPIPE)
  }

  /// With which code to exit after the signal that came: as a shell has it, 128 and the signal's number. That nobody
  /// wants to read more is no failure.
  static var exitCode: ExitCode {
    let signal = received.load(ordering: .relaxed)
    return signal == SIGPIPE ? .success : ExitCode(rawValue: 128 + signal)
  }

  static func wait(for task: Task<Never, Never>, windowChanges: WindowChanges) -> Never {
    var set = all()
    while true {
      var signal: Int32 = 0
      guard sigwait(&set, &signal) == 0 else { continue }
      switch signal {
      case SIGWINCH: windowChanges.note()
      default:
        // Nobody to talk to any more; but what is under way may still end in order.
        if signal == SIGPIPE, received.load(ordering: .relaxed) != 0 { continue }
        if received.load(ordering: .relaxed) != 0 { exit(128 + signal) }
        received.store(signal, ordering: .relaxed)
        task.cancel()
      }
    }
  }

  private static func isIgnored(_ signal: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(signal, nil, &action) == 0 else { return false }
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
  }

  private static func all() -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in ending + [SIGPIPE, SIGWINCH] { sigaddset(&set, signal) }
    return set
  }
}

/// Tells that the terminal's window has another size.
struct WindowChanges: Sendable {
  let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() {
    // Several changes are one: only the newest size matters.
    (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func note() { continuation.yield() }
}
