import CanvasCRDT

extension TokenBucket {
  /// The bucket for the rate limit of one client, which is `perSecond` on average. Twice as much may come in a burst,
  /// because a slow connection can deliver the messages of several seconds together.
  /// - Parameter atOnce: the least that must be allowed in a burst, such as the operations of one message.
  init(clientPerSecond perSecond: UInt64, atOnce: UInt64 = 1, at milliseconds: UInt64) {
    let (twoSeconds, overflow) = max(1, perSecond).multipliedReportingOverflow(by: 2)
    self.init(perSecond: perSecond, capacity: overflow ? .max : max(twoSeconds, atOnce), at: milliseconds)
  }
}
