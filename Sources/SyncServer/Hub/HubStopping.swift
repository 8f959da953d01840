import CanvasCRDT
import RoomLog
import WebSocketLoop

// What SIGTERM does: the server accepts nothing more, stores and sends the operations that it has accepted, closes all
// connections with code 1001, answers the requests that it has, and closes the log.

extension Hub {
  /// The upper bound on how long stopping takes. Service managers wait longer than this by default before they kill a
  /// process.
  private static let stopMilliseconds: UInt64 = 9_000
  /// How long stopping waits for the log to store accepted operations. Then connections are closed, so that clients can
  /// reconnect to another node.
  private static let drainMilliseconds: UInt64 = 3_000
  private static let goodbyeMilliseconds: UInt64 = 2_500

  func stop() {
    guard !isStopping else { return }
    logger.info("stopping", ["connections": .init(sessions.count)])
    lifetime.drain()
    loop.schedule(afterMilliseconds: Hub.stopMilliseconds) {
      self.writeGathered(isEnd: true)
      self.logger.warning("stopped before everything was stored and sent")
      self.machine.exit(0)
    }
    loop.schedule(afterMilliseconds: Hub.drainMilliseconds) {
      guard self.lifetime.stage == .draining else { return }
      self.logger.warning("stopping goes on although the log hasn't answered everything")
      self.endDraining()
    }
    goOnStopping()
  }

  /// Ends the process without storing or sending anything more.
  func stopAtOnce() {
    writeGathered(isEnd: true)
    logger.warning("stopped at the second signal")
    machine.exit(1)
  }

  /// To be called whenever a connection has ended, because stopping may wait for it. Calls itself again later if the
  /// log still has to answer.
  func goOnStopping() {
    switch lifetime.stage {
    case .serving, .closingLog: return
    case .draining:
      guard log.isClear, deliveries.isEmpty else {
        loop.schedule(afterMilliseconds: 1) { self.goOnStopping() }
        return
      }
      endDraining()
    case .closing:
      if sessions.count == 0 { closeLog() }
    }
  }

  private func endDraining() {
    lifetime.close()
    // Sends the updates that rooms have gathered so far. Later updates are not waited for, because people at other
    // nodes might go on drawing for ever.
    for open in rooms.all where open.room.isGathering { change(open) { $0.flush(now: now) } }
    // The close frames are sent at the end of this iteration of the event loop.
    loop.schedule(afterMilliseconds: 1) {
      self.sayGoodbye()
      self.goOnStopping()
    }
    loop.schedule(afterMilliseconds: Hub.goodbyeMilliseconds) {
      if self.lifetime.stage == .closing { self.closeLog() }
    }
  }

  /// Closes all connections. If clients can reconnect to another node, the connections are closed one after another, so
  /// that the clients don't all arrive there at once.
  private func sayGoodbye() {
    let leaving = sessions.all.filter { !$0.isGone }
    let steps = sharesRooms ? min(Hub.goodbyeSteps, leaving.count) : 1
    for step in 0..<steps {
      let part = leaving[leaving.count * step / steps..<leaving.count * (step + 1) / steps]
      let delay = Hub.spreadMilliseconds * UInt64(step) / UInt64(steps)
      let close = {
        for session in part where !session.isGone {
          self.close(session, .goingAway, "the server is stopping; connect again")
        }
      }
      if delay == 0 { close() } else { loop.schedule(afterMilliseconds: delay, close) }
    }
  }

  private static let spreadMilliseconds: UInt64 = 1_000
  private static let goodbyeSteps = 50

  private func closeLog() {
    lifetime.closeLog()
    snapshotBeforeStopping()
    awaitAnswers(until: now.monotonicMilliseconds + Hub.answersMilliseconds)
  }

  /// Closes the log once all answers to requests are sent, or at a time of the monotonic clock.
  private func awaitAnswers(until end: UInt64) {
    guard loop.counts.requests > 0, now.monotonicMilliseconds < end else { return log.close() }
    loop.schedule(afterMilliseconds: 10) { self.awaitAnswers(until: end) }
  }

  /// How long clients have for the answers that they are being sent.
  private static let answersMilliseconds: UInt64 = 3_000

  /// Ends the process, because the log stays unusable until an operator removes the cause.
  func end(for fault: StorageFault) {
    StandardError.complain("\(fault)")
    machine.exit(1)
  }

  func logClosed() {
    guard lifetime.stage == .closingLog else { return }
    writeGathered(isEnd: true)
    logger.info("stopped")
    machine.exit(0)
  }
}
