internal import CWebSockets

/// Which of the sockets that are ready are served in a turn, where the turn is too short for all.
///
/// Sockets that are passed over stay ready, so the loop hears of them again in the next turn. What always holds: a socket that was
/// served isn't served again before all that were ready with it. So a socket that is always ready keeps nobody from being served.
struct ReadinessRound {
  private var number: UInt64 = 1
  /// In which round each descriptor was served last.
  private var served: [UInt64] = []
  private var isSomebodyLeft = false
  private var isAnybodyServed = false

  /// Whether this socket is served now. One a turn always is, so that each turn gets on.
  mutating func admits(_ descriptor: Int, isTurnSpent: @autoclosure () -> Bool) -> Bool {
    if descriptor >= served.count {
      served += Array(repeating: 0, count: descriptor + 1 - served.count)
    }
    guard served[descriptor] != number else { return false }
    if isAnybodyServed, isTurnSpent() {
      isSomebodyLeft = true
      return false
    }
    isAnybodyServed = true
    served[descriptor] = number
    return true
  }

  mutating func turnEnds() {
    if !isSomebodyLeft { number += 1 }
    isSomebodyLeft = false
    isAnybodyServed = false
  }
}

extension EventLoop {
  /// libwebsockets serves each of its sockets as soon as libuv finds it ready, and has no way to be asked for less. So the loop puts
  /// itself between the two, at the place where libuv calls for this socket: libuv sets that once, when libwebsockets begins
  /// to watch it. What one socket costs is small, but thousands may be ready together: to close 600 took 14–19 ms in one turn.
  /// - Parameter descriptor: a socket that libwebsockets has just adopted.
  func boundReadiness(of descriptor: Int32) {
    assertCurrent()
    guard descriptor >= 0, UInt32(descriptor) < uv.pointee.nwatchers,
      let watcher = uv.pointee.watchers[Int(descriptor)]
    else { return }
    guard let serve = watcher.pointee.cb else { return }
    assert(servesSocket == nil || unsafeBitCast(servesSocket, to: Int.self) == unsafeBitCast(serve, to: Int.self))
    servesSocket = serve
    watcher.pointee.cb = { uv, watcher, events in
      guard let uv, let watcher else { return }
      let loop = Unmanaged<EventLoop>.fromOpaque(uv.pointee.data).takeUnretainedValue()
      if loop.mayServe(watcher.pointee.fd) { loop.servesSocket?(uv, watcher, events) }
    }
  }
}
