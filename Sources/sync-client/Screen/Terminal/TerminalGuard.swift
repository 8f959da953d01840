import Glibc

/// Restores the terminal, however the process ends: in order, by an error, by a fault or by a signal. It also restores
/// the terminal while the process is stopped.
///
/// A signal handler can interrupt any code, and may call almost no function. The data that handlers need is prepared in
/// memory that is never freed. That is why this state belongs to the whole process; there is one terminal.
enum TerminalGuard {
  private struct State {
    var descriptor: Int32 = -1
    /// Whether the terminal is taken over: true between `take` and `release`.
    var isTaken = false
    var isEntered = false
    var found = termios()
    var wanted = termios()
    var enter = UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)
    var leave = UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)
  }

  /// `nonisolated(unsafe)`: `take` writes it before any handler is installed. After that only the two flags change,
  /// when the terminal is entered or left, and doing either twice does no harm.
  nonisolated(unsafe) private static let state: UnsafeMutablePointer<State> = {
    let state = UnsafeMutablePointer<State>.allocate(capacity: 1)
    state.initialize(to: State())
    return state
  }()

  /// The signals of faults, after which no process can go on.
  private static let faults = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGQUIT, SIGSYS]

  /// Takes a terminal over. Remembers the terminal's settings, which are restored whatever happens.
  /// - Returns: false if the settings can't be read.
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
    self.enter()
    for fault in faults { handle(fault, TerminalGuard.diedBySignal) }
    handle(SIGTSTP, TerminalGuard.stopped)
    handle(SIGCONT, TerminalGuard.continued)
    // Prepares for a second signal: while the command ends because of the first signal, the second one ends the process
    // with `exit`.
    atexit { TerminalGuard.release() }
    return true
  }

  /// Restores the terminal for good.
  static func release() {
    state.pointee.isTaken = false
    leave()
  }

  /// Sets raw mode and the alternate screen. Calls only functions that a signal handler may call.
  private static func enter() {
    tcsetattr(state.pointee.descriptor, TCSANOW, &state.pointee.wanted)
    // Entering the alternate screen twice would overwrite the saved cursor.
    guard !state.pointee.isEntered else { return }
    state.pointee.isEntered = true
    write(state.pointee.enter)
  }

  /// Restores the terminal. Calls only functions that a signal handler may call.
  private static func leave() {
    guard state.pointee.isEntered else { return }
    state.pointee.isEntered = false
    write(state.pointee.leave)
    // Drops unread input, because input that was meant for the canvas must not reach the shell.
    tcsetattr(state.pointee.descriptor, TCSAFLUSH, &state.pointee.found)
  }

  // MARK: - Handlers

  private static let diedBySignal: @convention(c) (Int32) -> Void = { number in
    TerminalGuard.leave()
    TerminalGuard.raiseAsUsual(number)
  }

  private static let stopped: @convention(c) (Int32) -> Void = { _ in
    TerminalGuard.leave()
    // The process stops here. In an orphaned process group it doesn't stop, because nothing could continue it.
    TerminalGuard.raiseAsUsual(SIGTSTP)
    TerminalGuard.handle(SIGTSTP, TerminalGuard.stopped)
    TerminalGuard.comeBack()
  }

  /// Called when the process continues. This includes a stop by SIGSTOP, which can't be caught. A shell may have
  /// changed the terminal's settings since then.
  private static let continued: @convention(c) (Int32) -> Void = { _ in TerminalGuard.comeBack() }

  private static func comeBack() {
    guard state.pointee.isTaken else { return }
    enter()
    // The window's size may have changed, and the screen has to be redrawn. SIGWINCH makes the program check the size
    // and redraw.
    kill(getpid(), SIGWINCH)
  }

  private static func handle(_ number: Int32, _ handler: @escaping @convention(c) (Int32) -> Void) {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = handler
    sigemptyset(&action.sa_mask)
    action.sa_flags = Int32(SA_RESTART)
    sigaction(number, &action, nil)
  }

  /// Lets the signal have the effect that it has in a process without a handler.
  private static func raiseAsUsual(_ number: Int32) {
    signal(number, SIG_DFL)
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, number)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    raise(number)
  }

  /// Writes all bytes, if the terminal takes them within a moment.
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
