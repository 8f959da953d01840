import CanvasCRDT

extension TokenBucket {
  /// The rate limit of one client, as a number a second. Twice as much may come at once, because a slow connection may
  /// deliver the messages of several seconds together.
  /// - Parameter atOnce: the least that must be allowed at once, such as the operations of one message.
  init(clientPerSecond perSecond: UInt64, atOnce: UInt64 = 1, at milliseconds: UInt64) {
    let (twoSeconds, overflow) = max(1, perSecond).multipliedReportingOverflow(by: 2)
    self.init(perSecond: perSecond, capacity: overflow ? .max : max(twoSeconds, atOnce), at: milliseconds)
  }
}
