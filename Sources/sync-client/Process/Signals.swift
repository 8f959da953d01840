import Glibc
import Synchronization

/// Only the main thread takes signals, with `sigwait`, so no signal handler interrupts other code.
///
/// The first signal that asks the process to end cancels the command, which then ends in an orderly way. A second such
/// signal ends the process at once, unless it is SIGHUP.
enum Signals {
  /// The signals that end the process, except those that were already ignored when it started. `nohup`, for example,
  /// makes it ignore SIGHUP.
  private static let ending: [Int32] = [SIGINT, SIGTERM, SIGHUP].filter { !isIgnored($0) }
  private static let received = Atomic<Int32>(0)
  static let windowChanges = WindowChanges()

  /// Blocks the signals. To be called on the main thread before other threads start.
  static func block() {
    var set = all()
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Raises SIGPIPE for the whole process, so that the main thread takes it.
  static func readerIsGone() {
    kill(getpid(), SIGPIPE)
  }

  /// Interrupts the command, as Control-C does where the terminal isn't in raw mode.
  static func interrupt() {
    kill(getpid(), SIGINT)
  }

  /// The exit code after a signal: 128 plus the signal's number, as in shells. A closed pipe is a success, because its
  /// reader had read enough.
  static var exitCode: ExitCode {
    let signal = received.load(ordering: .relaxed)
    return signal == SIGPIPE ? .success : ExitCode(rawValue: 128 + signal)
  }

  /// Whether a signal has asked the process to end.
  static var haveCome: Bool { received.load(ordering: .relaxed) != 0 }

  /// Whether the command was cancelled because nobody reads its output any more.
  static var isReaderGone: Bool { received.load(ordering: .relaxed) == SIGPIPE }

  /// - Parameter continued: is called after the process was suspended and continued.
  static func wait(for task: Task<Never, Never>, continued: () -> Void) -> Never {
    var set = all()
    while true {
      var signal: Int32 = 0
      guard sigwait(&set, &signal) == 0 else { continue }
      switch signal {
      case SIGWINCH: windowChanges.note()
      // Of several signals that have come, `sigwait` takes the one with the lowest number first. So a signal that ends the
      // process is known here if it came before.
      case SIGCONT: continued()
      default:
        // The command is ending already, so a closed pipe doesn't interrupt it. Nor does SIGHUP: when a terminal goes, both
        // the shell and the system send it.
        if signal == SIGPIPE || signal == SIGHUP, received.load(ordering: .relaxed) != 0 { continue }
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
    for signal in ending + [SIGPIPE, SIGWINCH, SIGCONT] { sigaddset(&set, signal) }
    return set
  }
}

/// A stream of changes of the terminal's window size.
struct WindowChanges: Sendable {
  let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() {
    // Only the newest size matters, so unhandled changes are merged into one.
    (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func note() { continuation.yield() }
}
