import Glibc
import Synchronization

/// The main thread alone takes signals, one after the other, with `sigwait`. So no signal handler interrupts other
/// code.
///
/// The first signal that asks the process to end cancels the command, which then ends in order. A second one ends the
/// process at once.
enum Signals {
  /// The signals that ask the process to end. A process that `nohup` or a shell's background job started ignores some
  /// of them from the beginning; the process goes on ignoring these.
  private static let ending: [Int32] = [SIGINT, SIGTERM, SIGHUP].filter { !isIgnored($0) }
  private static let received = Atomic<Int32>(0)

  /// Blocks the signals. To be called on the main thread before there are other threads.
  static func block() {
    var set = all()
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Sends the signal of a closed pipe, because the reader of standard output is gone. It goes to the whole process, so
  /// that the main thread takes it.
  static func readerIsGone() {
    kill(getpid(), SIGPIPE)
  }

  /// The exit code after a signal: 128 plus the signal's number, as in shells. A closed pipe is no failure, because a
  /// reader closes it when it has read enough.
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
        // The reader is gone, but the command is already ending in order, so it isn't interrupted.
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
    // Several changes that have not been handled count as one, because only the newest size matters.
    (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func note() { continuation.yield() }
}
