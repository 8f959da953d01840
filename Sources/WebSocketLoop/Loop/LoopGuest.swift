internal import CWebSockets

/// An object on a loop that must end before the loop does: a listener, an HTTP connection, a request that awaits its
/// answer.
protocol LoopResident: AnyObject {
  func loopStops()
}

/// An object that a loop has only once, for all users of the loop: for example a library that runs on the loop.
protocol LoopGuest: AnyObject {
  init?(loop: EventLoop)
  /// Called when the loop is ending. The guest closes its handles on the loop, and may run the loop until they are
  /// closed.
  func loopEnds()
  /// Whether the guest made this handle, which is still open after `loopEnds` has returned.
  func owns(_ handle: UnsafeMutablePointer<uv_handle_t>) -> Bool
}

extension LoopGuest {
  func loopEnds() {}
  func owns(_ handle: UnsafeMutablePointer<uv_handle_t>) -> Bool { false }
}
