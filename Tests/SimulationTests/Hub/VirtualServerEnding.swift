@testable import ServerModel
@testable import SyncServer

extension VirtualServer {
  /// The process has ended. Its jobs, which wait for things that never come, are let go to their ends.
  func die(_ log: DelayedLog) {
    // A job may wait many times before it gives up. The hub itself has one timer, until it stops.
    let ownTimers = hub.assumeIsolated { $0.isStopping } ? 0 : 1
    var rounds = 0
    while rounds < 20 || loop.timerCount > ownTimers && rounds < 1_000 {
      rounds += 1
      hub.assumeIsolated { hub in for open in hub.rooms.all { hub.rooms.remove(open) } }
      log.refuseAll()
      while workHeavily() {}
      loop.fireAll()
      loop.turn(at: loop.now)
    }
    loop.end()
  }
}
