import CanvasCRDT
import RoomLog
import WebSocketLoop
import Glibc

// SIGTERM: no more is taken in, what is in hand becomes durable and is told, everyone hears 1001, the log is closed.

extension Hub {
  /// What an operator waits for at most, less than what service managers allow by default.
  private static let stopMilliseconds: UInt64 = 9_000
  private static let goodbyeMilliseconds: UInt64 = 2_500

  func stop() {
    guard !isStopping else { return }
    logger.info("stopping", ["connections": .init(visitors.count)])
    lifetime.drain()
    loop.schedule(afterMilliseconds: Hub.stopMilliseconds) {
      self.logger.warning("stopped before everything was stored and sent")
      exit(0)
    }
    goOnStopping()
  }

  /// Called when something has ended that stopping waits for.
  func goOnStopping() {
    switch lifetime.stage {
    case .serving, .closingLog: return
    case .draining:
      guard log.isClear, !rooms.hasGathering else {
        loop.schedule(afterMilliseconds: 1) { self.goOnStopping() }
        return
      }
      lifetime.close()
      for visitor in visitors.all where !visitor.isGone {
        close(visitor, .goingAway, "the server is stopping; connect again")
      }
      loop.schedule(afterMilliseconds: Hub.goodbyeMilliseconds) {
        if self.lifetime.stage == .closing { self.closeLog() }
      }
      goOnStopping()
    case .closing:
      if visitors.count == 0 { closeLog() }
    }
  }

  private func closeLog() {
    lifetime.closeLog()
    snapshotBeforeStopping()
    log.close()
  }

  func logClosed() {
    guard lifetime.stage == .closingLog else { return }
    logger.info("stopped")
    exit(0)
  }
}
