internal import CWebSockets
import Synchronization

public enum LoopLogLevel: Sendable { case error, warning }

/// The log of libwebsockets. A process has only one such log. It is the only state that loops share.
enum LoopLog {
  /// A box for the closure. Without it, each access through the generic `Mutex` would wrap the closure once more, and
  /// the wrappers would never be freed.
  private struct Destination: Sendable {
    let tell: @Sendable (LoopLogLevel, String) -> Void
  }

  private static let destination = Mutex<Destination?>(nil)

  static func route(to destination: @escaping @Sendable (LoopLogLevel, String) -> Void) {
    self.destination.withLock { $0 = Destination(tell: destination) }
    install()
  }

  static func quietUnlessRouted() { install() }

  private static func install() {
    lws_set_log_level(LLL_ERR | LLL_WARN) { level, line in
      guard let line else { return }
      LoopLog.hear(level == LLL_ERR ? .error : .warning, line)
    }
  }

  /// Messages that are not logged. libwebsockets logs the first one as an error for each socket that it adopts,
  /// although nothing is wrong. The others are caused by bytes from a peer, so any client could fill the log with them.
  private static let passedOver = [
    ": calling service", "Control frame with xtended length is illegal", "b63 of length must be zero",
  ]

  static func hear(_ level: LoopLogLevel, _ line: UnsafePointer<CChar>) {
    guard let destination = destination.withLock({ $0 }) else { return }
    var text = String(cString: line)
    if let end = text.lastIndex(where: { !$0.isNewline }) { text = String(text[...end]) }
    if passedOver.contains(where: text.contains) { return }
    destination.tell(level, text)
  }
}
