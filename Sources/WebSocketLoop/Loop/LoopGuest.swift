internal import CWebSockets

/// Something on a loop that must end before the loop does: a listener, an HTTP connection, a request under way.
protocol LoopResident: AnyObject {
  func loopStops()
}

/// Something of which a loop has only one, for all users of the loop: for example a library that runs on it.
protocol LoopGuest: AnyObject {
  init?(loop: EventLoop)
  /// The loop is ending. The guest closes its handles on the loop, and may run the loop until that is done.
  func loopEnds()
  /// Whether the guest made this handle, which is still open after `loopEnds`.
  func owns(_ handle: UnsafeMutablePointer<uv_handle_t>) -> Bool
}

extension LoopGuest {
  func loopEnds() {}
  func owns(_ handle: UnsafeMutablePointer<uv_handle_t>) -> Bool { false }
}
