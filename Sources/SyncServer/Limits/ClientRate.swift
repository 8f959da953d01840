import CanvasCRDT

extension TokenBucket {
  /// The rate of one client: a number a second. The amount of two seconds may come at once, because a slow connection
  /// may deliver the messages of several seconds together.
  /// - Parameter atOnce: the least that must be allowed at once, such as the operations of one message.
  init(clientPerSecond perSecond: UInt64, atOnce: UInt64 = 1, at milliseconds: UInt64) {
    let (twoSeconds, overflow) = max(1, perSecond).multipliedReportingOverflow(by: 2)
    self.init(perSecond: perSecond, capacity: overflow ? .max : max(twoSeconds, atOnce), at: milliseconds)
  }
}
