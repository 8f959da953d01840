import Glibc
import TerminalCanvas
import WebSocketLoop

/// The process's terminal: its size, its input and its screen.
///
/// It is opened as a file of its own, because making the shell's file non-blocking would affect the shell. A slow
/// terminal gets no new update before it has received the last one. All changes until then become one update.
@ClientLoop
final class Terminal {
  private let descriptor: Int32
  private var watch: DescriptorWatch?
  private var parser = KeyParser()
  private var escapeTimer: LoopTimer?
  private let takeEvent: @ClientLoop (TerminalEvent) -> Void
  private let drained: @ClientLoop () -> Void
  private let lost: @ClientLoop () -> Void

  /// What the terminal will show when it has received everything. `nil` if that isn't known.
  private var shown: Screen?
  private var isAwaited = false
  private var unwritten: [UInt8] = []
  private var unwrittenStart = 0

  /// The number of bytes and screens written, and of screens skipped because the terminal was slow.
  private(set) var bytesWritten = 0
  private(set) var screensWritten = 0
  private(set) var screensDropped = 0

  /// How long to wait after an escape character for the rest of a key's sequence. If nothing follows, it was the Escape
  /// key.
  private static let escapeMilliseconds: UInt64 = 40

  private static let enter =
    "\u{1B}[?1049h\u{1B}[2J\u{1B}[?25l\u{1B}[?7l\u{1B}[?1003h\u{1B}[?1006h\u{1B}[?2004h\u{1B}[?1004h"
  /// The bytes that restore the terminal. The escape at the start also ends a truncated sequence.
  private static let leave =
    "\u{1B}[?2026l\u{1B}[?1004l\u{1B}[?2004l\u{1B}[?1006l\u{1B}[?1003l\u{1B}[?7h\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"
  private static let askBackground = "\u{1B}]11;?\u{1B}\\"

  /// - Parameters:
  ///   - drained: is called when a slow terminal has received everything.
  ///   - lost: is called once, when the terminal is gone.
  init(
    _ takeEvent: @escaping @ClientLoop (TerminalEvent) -> Void,
    drained: @escaping @ClientLoop () -> Void,
    lost: @escaping @ClientLoop () -> Void
  ) throws(ClientFailure) {
    self.takeEvent = takeEvent
    self.drained = drained
    self.lost = lost
    guard isatty(STDIN_FILENO) != 0, isatty(STDOUT_FILENO) != 0 else { throw Terminal.isMissing }
    descriptor = StandardFiles.reopen(STDOUT_FILENO, O_RDWR)
    guard descriptor >= 0 else { throw .failed("the terminal can't be opened: \(String(cString: strerror(errno)))") }
    guard TerminalGuard.take(descriptor, enter: Array(Terminal.enter.utf8), leave: Array(Terminal.leave.utf8)) else {
      throw Terminal.isMissing
    }
    watch = DescriptorWatch(loop: ClientLoop.shared.loop, descriptor: descriptor) { [weak self] readable, writable in
      ClientLoop.assumeIsolated {
        if writable { self?.flush() }
        if readable { self?.read() }
      }
    }
    watch?.want(readable: true, writable: false)
  }

  private static let isMissing = ClientFailure.usage("this needs a terminal")

  /// Restores the terminal.
  func close() {
    escapeTimer?.cancel()
    watch?.close()
    watch = nil
    TerminalGuard.release()
  }

  /// Stops the process, as Control-Z usually does.
  func suspend() {
    kill(0, SIGTSTP)
  }

  // MARK: - Size

  struct Size: Equatable, Sendable {
    var columns: Int
    var rows: Int
    /// The height of a cell divided by its width. 2 if the terminal doesn't tell.
    var aspect: Double
  }

  var size: Size {
    var window = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
      return Size(columns: 80, rows: 24, aspect: 2)
    }
    var aspect = 2.0
    if window.ws_xpixel > 0, window.ws_ypixel > 0 {
      let width = Double(window.ws_xpixel) / Double(window.ws_col)
      let height = Double(window.ws_ypixel) / Double(window.ws_row)
      aspect = height / width
    }
    // A terminal can report a wrong size. Larger screens than this would only cost time.
    return Size(columns: min(Int(window.ws_col), 1_000), rows: min(Int(window.ws_row), 500), aspect: aspect)
  }

  // MARK: - Input

  private func read() {
    // Reading in the background would suspend the process. The next screen makes the terminal read again.
    guard !TerminalGuard.isInBackground else {
      watch?.want(readable: false, writable: false)
      return
    }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    guard count > 0 else {
      if count < 0, errno == EAGAIN || errno == EINTR { return }
      watch?.close()
      watch = nil
      lost()
      return
    }
    escapeTimer?.cancel()
    escapeTimer = nil
    for event in parser.feed(bytes[..<count]) { takeEvent(event) }
    guard parser.isWaiting else { return }
    escapeTimer = ClientLoop.shared.loop.schedule(afterMilliseconds: Terminal.escapeMilliseconds) { [weak self] in
      ClientLoop.assumeIsolated { self?.endEscape() }
    }
  }

  private func endEscape() {
    escapeTimer = nil
    for event in parser.timeout() { takeEvent(event) }
  }

  // MARK: - Output

  /// Writes what differs from the shown screen. With a whole screen it also asks for the terminal's background colour.
  /// To be called only after `isBehind` has returned `false`, because otherwise unwritten bytes would pile up.
  func show(_ screen: Screen) {
    let bytes = (shown == nil ? Array(Terminal.askBackground.utf8) : []) + ScreenDiff.bytes(from: shown, to: screen)
    shown = screen
    guard !bytes.isEmpty else { return }
    screensWritten += 1
    put(bytes)
  }

  /// Whether the terminal has received everything that was sent.
  var keepsUp: Bool { unwritten.isEmpty }

  /// Whether the terminal is still receiving. If so, `drained` is called afterwards.
  func isBehind() -> Bool {
    guard !keepsUp else { return false }
    screensDropped += 1
    isAwaited = true
    return true
  }

  /// Forgets what the terminal shows. The next screen is written as a whole.
  func forget() {
    shown = nil
  }

  private func put(_ bytes: [UInt8]) {
    bytesWritten += bytes.count
    unwritten += bytes
    flush()
  }

  private func flush() {
    while unwrittenStart < unwritten.count {
      let count = unwritten.withUnsafeBytes { bytes in
        Glibc.write(descriptor, bytes.baseAddress! + unwrittenStart, bytes.count - unwrittenStart)
      }
      if count > 0 {
        unwrittenStart += count
      } else if count < 0, errno == EINTR {
        continue
      } else {
        // The terminal's buffer is full, so the remaining bytes are written when the terminal takes more. After any
        // other error, the next read reports that error again.
        watch?.want(readable: true, writable: true)
        return
      }
    }
    unwritten = []
    unwrittenStart = 0
    watch?.want(readable: true, writable: false)
    if isAwaited {
      isAwaited = false
      drained()
    }
  }
}
