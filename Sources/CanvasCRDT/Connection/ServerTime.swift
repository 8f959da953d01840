/// An estimate of the server's time. It is computed from the host's clocks, although these can be wrong.
public struct ServerTime: Hashable, Sendable {
  private struct Reading: Hashable {
    let server: UInt64
    let monotonic: UInt64
  }

  /// How far the server's time is ahead of the host's wall clock. `nil` until the server has sent its time.
  public private(set) var offset: Int64?

  private var reading: Reading?

  /// Whether the offset is unknown, or was saved by an earlier process. Since then the host's clock may have been set.
  public var isGuess: Bool { reading == nil }

  /// An upper bound on the round trip of an answer that is used for the estimate. With a longer round trip, it is too
  /// uncertain when the server read its clock.
  private static let roundTripMillisecondsMax: UInt64 = 10_000

  public init(offset: Int64? = nil) { self.offset = offset }

  /// The server's time now, as far as the client can know.
  ///
  /// The host's wall clock and its monotonic clock each tell how much time has passed since the last reading. Of the
  /// two results, the later one counts: the monotonic clock may stand still while the host sleeps, and the wall clock
  /// may be set back. A time that is too early would put the client's stamps into the past.
  public func milliseconds(at now: Moment) -> UInt64 {
    var estimate = now.wallMilliseconds
    if let offset {
      let (sum, overflow) = Int64(clamping: now.wallMilliseconds).addingReportingOverflow(offset)
      estimate = overflow ? now.wallMilliseconds : UInt64(clamping: sum)
    }
    if let reading, now.monotonicMilliseconds >= reading.monotonic {
      estimate = max(estimate, reading.server &+ (now.monotonicMilliseconds - reading.monotonic))
    }
    return min(estimate, Stamp.millisecondsMax)
  }

  /// Updates the estimate with the server's time from a message.
  ///
  /// - Parameter sentAt: when the client sent the message that the server answered, on the monotonic clock.
  public mutating func read(_ server: UInt64, sentAt: UInt64?, at now: Moment) {
    var server = min(server, Stamp.millisecondsMax)
    if let sentAt, now.monotonicMilliseconds >= sentAt {
      server += min(now.monotonicMilliseconds - sentAt, ServerTime.roundTripMillisecondsMax) / 2
    }
    offset = Int64(clamping: server) - Int64(clamping: min(now.wallMilliseconds, Stamp.millisecondsMax))
    reading = Reading(server: server, monotonic: now.monotonicMilliseconds)
  }
}
