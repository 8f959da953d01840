internal import CWebSockets
import Synchronization

public enum LoopLogLevel: Sendable { case error, warning }

/// libwebsockets has one log for the process, so this is the one piece of state that loops share.
enum LoopLog {
  private static let destination = Mutex<(@Sendable (LoopLogLevel, String) -> Void)?>(nil)

  static func route(to destination: @escaping @Sendable (LoopLogLevel, String) -> Void) {
    self.destination.withLock { $0 = destination }
    install()
  }

  static func quietUnlessRouted() { install() }

  private static func install() {
    lws_set_log_level(LLL_ERR | LLL_WARN) { level, line in
      guard let line else { return }
      let destination = LoopLog.destination.withLock { $0 }
      guard let destination else { return }
      var text = String(cString: line)
      if let end = text.lastIndex(where: { !$0.isNewline }) { text = String(text[...end]) }
      // Said at error level on each adopted socket, though nothing is wrong.
      if text.hasSuffix("calling service") { return }
      destination(level == LLL_ERR ? .error : .warning, text)
    }
  }
}
