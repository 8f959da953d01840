import Glibc
import Synchronization

/// The main thread alone takes signals, one after the other, with `sigwait`. No handler interrupts anything.
///
/// The first signal that asks the process to end cancels the command, which then ends in order. A second one ends the
/// process at once.
enum Signals {
  /// The signals that ask the process to end. Processes started by `nohup`, or in the background of a shell, ignore
  /// some of them, and those stay ignored.
  private static let ending: [Int32] = [SIGINT, SIGTERM, SIGHUP].filter { !isIgnored($0) }
  private static let received = Atomic<Int32>(0)

  /// To be called on the main thread before there are other threads.
  static func block() {
    var set = all()
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// The reader of standard output is gone. The signal is sent to the whole process, so that the main thread takes it.
  static func readerIsGone() {
    kill(getpid(), SIGPIPE)
  }

  /// The exit code after a signal: 128 plus its number, as in shells. If a reader has closed the pipe because it has
  /// read enough, that is no failure.
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
        // The reader is gone, but the command is already ending in order.
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

/// Reports changes of the terminal's window size.
struct WindowChanges: Sendable {
  let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() {
    // Several changes count as one: only the newest size matters.
    (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func note() { continuation.yield() }
}
