internal import CWebSockets

/// Lives on a loop and must end before the loop does: a listener, an HTTP connection, a request under way.
protocol LoopResident: AnyObject {
  func loopStops()
}

/// Something that a loop has one of, for all who use the loop: a library that runs on it, for example.
protocol LoopGuest: AnyObject {
  init?(loop: EventLoop)
  /// The loop ends. The guest closes what it has on the loop, and may run the loop until that is done.
  func loopEnds()
  /// Whether the guest made this handle, one of those that are left after `loopEnds`.
  func owns(_ handle: UnsafeMutablePointer<uv_handle_t>) -> Bool
}

extension LoopGuest {
  func loopEnds() {}
  func owns(_ handle: UnsafeMutablePointer<uv_handle_t>) -> Bool { false }
}
