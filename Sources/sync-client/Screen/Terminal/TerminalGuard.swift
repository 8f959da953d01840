import Glibc

/// Restores the terminal however the process ends, even after a crash or a signal. It also restores the terminal while
/// the process is stopped.
///
/// A signal handler may call almost no functions. So its data is prepared in memory that is never freed. A process has
/// one terminal, so there is one such memory.
enum TerminalGuard {
  private struct State {
    var descriptor: Int32 = -1
    /// Whether the terminal is in use: true between `take` and `release`.
    var isTaken = false
    var isEntered = false
    var found = termios()
    var wanted = termios()
    var enter = UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)
    var leave = UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)
  }

  /// Whether the terminal shows the full screen. It doesn't while the process is stopped.
  static var isEntered: Bool { state.pointee.isEntered }

  /// `nonisolated(unsafe)`: `take` writes the state before it installs the signal handlers. Later only the two flags
  /// change, when the full screen is entered or left. Setting a flag twice does no harm.
  nonisolated(unsafe) private static let state: UnsafeMutablePointer<State> = {
    let state = UnsafeMutablePointer<State>.allocate(capacity: 1)
    state.initialize(to: State())
    return state
  }()

  /// Signals of crashes.
  private static let faults = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGQUIT, SIGSYS]

  /// Takes over a terminal, and prepares to restore it however the process ends.
  /// - Returns: false if the terminal's settings can't be read.
  static func take(_ descriptor: Int32, enter: [UInt8], leave: [UInt8]) -> Bool {
    var found = termios()
    guard tcgetattr(descriptor, &found) == 0 else { return false }
    var wanted = found
    cfmakeraw(&wanted)
    state.pointee.descriptor = descriptor
    state.pointee.found = found
    state.pointee.wanted = wanted
    state.pointee.enter = copy(enter)
    state.pointee.leave = copy(leave)
    state.pointee.isTaken = true
    for fault in faults { handle(fault, TerminalGuard.diedBySignal) }
    handle(SIGTSTP, TerminalGuard.stopped)
    // In the background, as after `join … &` in a shell, the main thread decides, because it takes the signals.
    if isInBackground { kill(getpid(), SIGCONT) } else { self.enter() }
    // If a second signal comes while the command is ending, the process ends with `exit`, and `exit` calls this
    // closure.
    atexit { TerminalGuard.release() }
    return true
  }

  /// Restores the terminal for good.
  static func release() {
    state.pointee.isTaken = false
    leave()
  }

  /// Sets raw mode and the alternate screen. Calls only async-signal-safe functions.
  private static func enter() {
    tcsetattr(state.pointee.descriptor, TCSANOW, &state.pointee.wanted)
    // Entering the alternate screen twice would overwrite the saved cursor.
    guard !state.pointee.isEntered else { return }
    state.pointee.isEntered = true
    write(state.pointee.enter)
  }

  /// Restores the terminal. Calls only async-signal-safe functions.
  private static func leave() {
    guard state.pointee.isEntered else { return }
    state.pointee.isEntered = false
    write(state.pointee.leave)
    // A process in the background would be suspended here. The shell has set the terminal already.
    guard !isInBackground else { return }
    // Drops unread input, because it was meant for the canvas and not for the shell.
    tcsetattr(state.pointee.descriptor, TCSAFLUSH, &state.pointee.found)
  }

  // MARK: - Handlers

  private static let diedBySignal: @convention(c) (Int32) -> Void = { number in
    TerminalGuard.leave()
    TerminalGuard.raiseAsUsual(number)
  }

  private static let stopped: @convention(c) (Int32) -> Void = { _ in
    TerminalGuard.leave()
    // The process is suspended here, unless its process group is orphaned. An orphaned process is not suspended,
    // because nothing could resume it.
    TerminalGuard.raiseAsUsual(SIGTSTP)
    TerminalGuard.handle(SIGTSTP, TerminalGuard.stopped)
    // Whoever has continued a suspended process has sent this signal already.
    kill(getpid(), SIGCONT)
  }

  /// Takes the terminal again after SIGCONT. A shell might have changed the terminal's settings meanwhile. The main thread
  /// calls this, after it has taken the signals that came before.
  static func comeBack() {
    guard state.pointee.isTaken else { return }
    guard !isInBackground else {
      // A process in the background may not set the terminal, so it is suspended again, unless it has been asked to end, as
      // by `kill %1` in a shell.
      if !Signals.haveCome { raise(SIGTTOU) }
      return
    }
    enter()
    // Makes the program check the window's size and draw the screen again.
    kill(getpid(), SIGWINCH)
  }

  /// Whether the terminal belongs to another process group, such as the shell's.
  static var isInBackground: Bool {
    let foreground = tcgetpgrp(state.pointee.descriptor)
    return foreground >= 0 && foreground != getpgrp()
  }

  private static func handle(_ number: Int32, _ handler: @escaping @convention(c) (Int32) -> Void) {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = handler
    sigemptyset(&action.sa_mask)
    action.sa_flags = Int32(SA_RESTART)
    sigaction(number, &action, nil)
  }

  /// Raises a signal with its default action.
  private static func raiseAsUsual(_ number: Int32) {
    signal(number, SIG_DFL)
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, number)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    raise(number)
  }

  /// Writes all bytes, if the terminal accepts them within a short time.
  private static func write(_ bytes: UnsafeMutableBufferPointer<UInt8>) {
    var written = 0
    var patience = 20
    while written < bytes.count, patience > 0 {
      let count = Glibc.write(state.pointee.descriptor, bytes.baseAddress! + written, bytes.count - written)
      if count > 0 {
        written += count
      } else if count < 0, errno == EAGAIN || errno == EINTR {
        patience -= 1
        var wait = pollfd(fd: state.pointee.descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&wait, 1, 50)
      } else {
        return
      }
    }
  }

  private static func copy(_ bytes: [UInt8]) -> UnsafeMutableBufferPointer<UInt8> {
    let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
    _ = copy.initialize(from: bytes)
    return copy
  }
}
