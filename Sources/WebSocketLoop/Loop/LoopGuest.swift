internal import CWebSockets

/// An object on a loop that must end before the loop does: a listener, an HTTP connection, a request that awaits its
/// answer.
protocol LoopResident: AnyObject {
  func loopStops()
}

/// An object that exists once on a loop, for all users of the loop: for example a library that runs on the loop.
protocol LoopGuest: AnyObject {
  init?(loop: EventLoop)
  /// Called when the loop is ending. The object has to close its handles on the loop, and may run the loop until they
  /// are closed.
  func loopEnds()
  /// Whether this object made the handle. Called for each handle that is still open after `loopEnds` has returned.
  func owns(_ handle: UnsafeMutablePointer<uv_handle_t>) -> Bool
}

extension LoopGuest {
  func loopEnds() {}
  func owns(_ handle: UnsafeMutablePointer<uv_handle_t>) -> Bool { false }
}
