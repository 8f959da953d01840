import Basics
import Glibc
import TerminalCanvas
import WebSocketLoop

/// Something that a `ScreenHost` can show.
@ClientLoop
protocol ScreenContent: AnyObject {
  /// How the content looks now.
  func screen(_ size: Terminal.Size) -> Screen
  func take(_ event: TerminalEvent)
  /// Whether the content is animated now, so that more frames are needed.
  var moves: Bool { get }
}

/// Shows contents on the full screen, one at a time, until `end` is called.
@ClientLoop
final class ScreenHost {
  private var terminal: Terminal?
  private var content: (any ScreenContent)?
  private var waiting: CheckedContinuation<Void, Never>?
  private var timer: LoopTimer?
  private var lastFrameAt: UInt64 = 0
  /// Whether the terminal is gone. Then nothing is shown any more, and `run` ends at once.
  private(set) var isLost = false
  private(set) var terminalIsLight: Bool?

  /// The shortest time between two frames, for at most sixty frames per second.
  private static let frameMilliseconds: UInt64 = 16

  init() {}

  /// Switches the terminal to the full screen.
  func open() throws(ClientFailure) {
    terminal = try Terminal(
      { [weak self] event in self?.take(event) },
      drained: { [weak self] in self?.invalidate() },
      lost: { [weak self] in self?.lose() }
    )
    Task { @ClientLoop [weak self] in
      for await _ in Signals.windowChanges.stream { self?.redraw() }
    }
  }

  /// Fails if standard input or output isn't a terminal with a usable screen.
  /// - Parameter otherwise: advice for use without a terminal.
  nonisolated static func needsTerminal(_ invocation: Invocation, or otherwise: String) throws(ClientFailure) {
    guard isatty(STDIN_FILENO) != 0, isatty(STDOUT_FILENO) != 0 else {
      throw .usage("this needs a terminal; \(otherwise)")
    }
    guard invocation.environment["TERM"] != "dumb" else {
      throw .usage("this needs a terminal that can move the cursor, which TERM=dumb can't; \(otherwise)")
    }
  }

  /// Shows a content until `end` is called, the terminal is lost or the task is cancelled.
  func run(_ content: any ScreenContent) async throws {
    self.content = content
    terminal?.forget()
    invalidate()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if Task.isCancelled || terminal == nil || isLost { continuation.resume() } else { waiting = continuation }
      }
    } onCancel: {
      Task { @ClientLoop in self.end() }
    }
    self.content = nil
    try Task.checkCancellation()
  }

  func end() {
    waiting?.resume()
    waiting = nil
  }

  private func lose() {
    isLost = true
    end()
  }

  /// Restores the terminal.
  func close() {
    timer?.cancel()
    timer = nil
    terminal?.close()
    terminal = nil
  }

  var size: Terminal.Size { terminal?.size ?? Terminal.Size(columns: 80, rows: 24, aspect: 2) }

  /// Whether the terminal has received all of the last frame.
  var keepsUp: Bool { terminal?.keepsUp ?? false }

  func suspend() { terminal?.suspend() }

  /// Draws the whole screen again, for example after another program has written to the terminal.
  func redraw() {
    terminal?.forget()
    invalidate()
  }

  /// What was written to the terminal so far, for measurements.
  var figures: (bytes: Int, screens: Int, dropped: Int) {
    (terminal?.bytesWritten ?? 0, terminal?.screensWritten ?? 0, terminal?.screensDropped ?? 0)
  }

  // MARK: - Frames

  /// Schedules a frame, because the content has changed.
  func invalidate() {
    guard timer == nil, terminal != nil else { return }
    let now = SteadyClock.milliseconds()
    let due = lastFrameAt + ScreenHost.frameMilliseconds
    timer = ClientLoop.shared.loop.schedule(afterMilliseconds: due > now ? due - now : 0) { [weak self] in
      ClientLoop.assumeIsolated { self?.paint() }
    }
  }

  private func paint() {
    timer = nil
    // While the process is stopped, the terminal belongs to the shell. Everything is drawn again afterwards.
    guard let terminal, let content, TerminalGuard.isEntered else { return }
    lastFrameAt = SteadyClock.milliseconds()
    // A slow terminal gets the newest frame when it has received the previous frame. Frames in between are skipped.
    if terminal.isBehind() { return }
    terminal.show(content.screen(terminal.size))
    if content.moves { invalidate() }
  }

  private func take(_ event: TerminalEvent) {
    switch event {
    case .background(let red, let green, let blue):
      terminalIsLight = (Int(red) * 299 + Int(green) * 587 + Int(blue) * 114) / 1000 > 128
      content?.take(event)
      invalidate()
    case .key(.character("z"), .control): suspend()
    // Nothing is shown while a server is asked what comes next, which can take long.
    case .key(.character("c"), .control) where content == nil: Signals.interrupt()
    case .key(.character("l"), .control): redraw()
    default:
      content?.take(event)
      invalidate()
    }
  }
}
