import CanvasCRDT
import RoomLog
import WebSocketLoop
import Glibc

/// How far the server has come in going away.
enum Stopping: Equatable {
  case no
  /// What is in hand is made durable.
  case draining
  /// Connections are said goodbye to.
  case closing
  /// The log finishes.
  case closingLog

  var isUnderWay: Bool { self != .no }
}

// SIGTERM: no more is taken in, what is in hand becomes durable and is told, everyone hears 1001, the log is closed.

extension Hub {
  /// What an operator waits for at most, less than what service managers allow by default.
  private static let stopMilliseconds: UInt64 = 9_000
  private static let goodbyeMilliseconds: UInt64 = 2_500

  func stop() {
    guard stopping == .no else { return }
    logger.info("stopping", ["connections": .init(clientCount)])
    stopping = .draining
    listener?.close()
    tickTimer?.cancel()
    loop.schedule(afterMilliseconds: Hub.stopMilliseconds) {
      self.logger.warning("stopped before all was said")
      exit(0)
    }
    goOnStopping()
  }

  /// Called when something has ended that stopping waits for.
  func goOnStopping() {
    switch stopping {
    case .no, .closingLog: return
    case .draining:
      guard appends.isEmpty, requests.isEmpty, !rooms.values.contains(where: { $0.room.flushDueAt != nil }) else {
        loop.schedule(afterMilliseconds: 1) { self.goOnStopping() }
        return
      }
      stopping = .closing
      for client in clients {
        guard let client else { continue }
        if case .gone = client.stage { continue }
        close(client, .goingAway, "the server is going away; come back")
      }
      loop.schedule(afterMilliseconds: Hub.goodbyeMilliseconds) {
        if self.stopping == .closing { self.closeLog() }
      }
      goOnStopping()
    case .closing:
      if clientCount == 0 { closeLog() }
    }
  }

  private func closeLog() {
    stopping = .closingLog
    snapshotBeforeStopping()
    log?.submit(requests)
    requests = []
    log?.close()
  }

  func logClosed() {
    guard stopping == .closingLog else { return }
    logger.info("stopped")
    exit(0)
  }
}
