@testable import ServerModel
@testable import SyncServer

extension VirtualServer {
  /// Ends the server's process. Its jobs wait for answers that will never come, so their waits are ended by refusals.
  /// - Parameter refuseAll: refuses all requests that the log has not answered.
  func die(_ refuseAll: () -> Void) {
    // A job can wait several times. So the loop runs until only the hub's own timer is left. A stopping hub has no such
    // timer.
    let ownTimers = hub.assumeIsolated { $0.isStopping } ? 0 : 1
    var rounds = 0
    while rounds < 20 || loop.timerCount > ownTimers && rounds < 1_000 {
      rounds += 1
      hub.assumeIsolated { hub in for open in hub.rooms.all { hub.rooms.remove(open) } }
      refuseAll()
      while workHeavily() {}
      loop.fireAll()
      loop.turn()
    }
    loop.end()
  }
}
