/// Decides how much may be written to a connection's line (the network path to the peer) now, by what the peer has
/// acknowledged.
///
/// A socket takes megabytes for a peer whose line carries kilobytes a second. Bytes in the socket are old when they
/// arrive, and can't be taken back. So only a few bytes may wait in the socket beyond those in flight: as many as the
/// line carries in about a tenth of a second. All others stay with the owner, who can send something newer instead.
///
/// A line that keeps up has no bound, however much it is sent. It is only checked now and then.
///
/// What always holds:
/// - A line gets a bound only if bytes that were sent a while ago have still not arrived.
/// - While the line is busy, its rate is what it carried. If the line ran empty although the owner had more to send,
///   its rate was estimated too low, and is raised. So no wrong estimate lasts.
struct LineGauge {
  /// The state of the socket at one moment.
  struct Look {
    /// The number of bytes in the socket that the peer has not acknowledged.
    let queued: Int
    /// The number of bytes that the peer has acknowledged since the connection began.
    let acknowledged: UInt64
    /// The shortest round trip so far, in milliseconds.
    let leastRoundTrip: Double
    let roundTrip: Double
  }

  /// The line's rate, in bytes a millisecond. `nil` if the bytes in flight are not limited, or if the limit would be so
  /// high that it doesn't matter.
  private(set) var rate: Double?
  /// Whether the line has ever carried a few packets without delay.
  private var isProven = false
  /// How many bytes may be written to the socket before the next check.
  private var credit = LineGauge.unlimitedBytes
  private(set) var isBound = false
  private var lookedAt: UInt64 = 0
  /// How many bytes are in the socket: those found by the last check, and those written since then.
  private var held = 0
  /// Writing stops when the socket holds `high` bytes. It goes on when the socket holds no more than `low` bytes.
  private var low = 0
  private var high = 0

  // When the current measurement began. The following values belong to it.
  private var markAt: UInt64 = 0
  private var markSent: UInt64 = 0
  private var markAcknowledged: UInt64 = 0
  private var hasRunEmpty = false
  private var wasHeld = false

  // MARK: What may be sent

  /// Whether `count` bytes may be written to the socket without another check.
  func covers(_ count: Int, at now: UInt64) -> Bool {
    guard credit >= count else { return false }
    if now &- lookedAt < Self.lookMilliseconds { return true }
    // In a quiet room, checking the socket before each write would add a tenth to the cost of sending. So a few bytes
    // are written without a check.
    return rate == nil && held + count <= Self.lightBytes
  }

  mutating func spend(_ count: Int) {
    credit -= count
    held += count
  }

  /// How many of `count` bytes may be written to the socket, according to the check that was just made. If the result
  /// is more than 0, the caller may write at least one whole frame.
  mutating func allowance(_ count: Int) -> Int {
    guard isBound else {
      credit = max(credit, count)
      return count
    }
    if credit < count { wasHeld = true }
    return max(0, min(count, credit))
  }

  /// How many milliseconds to wait before the next check of a line to which nothing may be sent now.
  func rest() -> UInt64 {
    guard let rate else { return Self.newLineMilliseconds }
    // `held` counts all bytes in the socket, including those that were written after the last check.
    let wait = Double(held - low) / max(rate, 0.001)
    return UInt64(max(2, min(wait, Double(Self.lookMilliseconds)).rounded(.up)))
  }

  // MARK: Checking the line

  mutating func take(_ look: Look, at now: UInt64) {
    lookedAt = now
    held = look.queued
    if look.queued < Self.emptyBytes { hasRunEmpty = true }
    judge(look, at: now)
    bound(look)
  }

  private mutating func judge(_ look: Look, at now: UInt64) {
    let elapsed = Double(now &- markAt)
    let carried = Double(look.acknowledged &- markAcknowledged)
    guard let known = rate else {
      if look.acknowledged >= markSent {
        if markSent &- markAcknowledged >= Self.provingBytes { isProven = true }
        return mark(look, at: now)
      }
      guard elapsed >= Self.slackMilliseconds + look.leastRoundTrip else { return }
      // Bytes that should have arrived by now have not arrived. So from now on the line is limited to the rate at which
      // bytes did arrive.
      rate = carried / elapsed
      return mark(look, at: now)
    }
    guard elapsed >= max(Self.sampleMilliseconds, look.leastRoundTrip) else { return }
    let sample = carried / elapsed
    if !hasRunEmpty {
      rate = (known + sample) / 2
    } else {
      // The socket was empty for a while, so the line could have carried more than `sample`. The known rate is kept. If
      // this process held bytes back because of that rate, the rate was too low and is doubled.
      rate = max(known, sample) * (wasHeld && sample > known / 2 ? 2 : 1)
    }
    mark(look, at: now)
  }

  private mutating func mark(_ look: Look, at now: UInt64) {
    markAt = now
    markAcknowledged = look.acknowledged
    markSent = look.acknowledged &+ UInt64(look.queued)
    hasRunEmpty = look.queued < Self.emptyBytes
    wasHeld = false
  }

  private mutating func bound(_ look: Look) {
    guard let rate else {
      isBound = !isProven && look.leastRoundTrip >= Self.distanceMilliseconds
      low = Self.unlimitedBytes / 2
      high = Self.unlimitedBytes
      credit = !isBound ? Self.unlimitedBytes : look.queued <= low ? high - look.queued : 0
      return
    }
    isBound = true
    // A short round trip shows that no bytes wait on the way. Then each round trip may carry more than the one before,
    // as in TCP.
    let isFree = look.roundTrip < look.leastRoundTrip * 1.25 + 10
    let onItsWay = rate * look.leastRoundTrip * (isFree ? 2 : 1)
    low = max(Self.lowBytesMin, Int(onItsWay + rate * Self.slackMilliseconds / 2))
    high = max(2 * Self.lowBytesMin, Int(onItsWay + rate * Self.slackMilliseconds))
    guard high < Self.boundBytesMax else {
      self.rate = nil
      isBound = false
      isProven = true
      credit = Self.unlimitedBytes
      return
    }
    credit = look.queued <= low ? high - look.queued : 0
  }

  /// The delay that is allowed in addition to the round-trip time. It is long enough for a peer that delays its
  /// acknowledgements, and short enough to feel live.
  private static let slackMilliseconds: Double = 100
  /// How long the line is watched before its rate is judged again. In a shorter time, single packets would distort the
  /// rate.
  private static let sampleMilliseconds: Double = 60
  /// The longest time between two checks of a line that is in use and carries more than a few bytes.
  private static let lookMilliseconds: UInt64 = 100
  /// A line with at least this round-trip time is limited from the start. The limit ends when the line has carried a
  /// few packets without delay. A line with a shorter round trip isn't limited at first.
  private static let distanceMilliseconds: Double = 5
  private static let provingBytes: UInt64 = 4_096
  private static let newLineMilliseconds: UInt64 = 5
  /// How many bytes may be sent between two checks if no other bound applies: as many as TCP sends before the first
  /// acknowledgement.
  private static let unlimitedBytes = 16_384
  /// How many bytes a line that keeps up may get without another check. Even the slowest expected line carries this
  /// many in a quarter of a second.
  private static let lightBytes = 2_048
  /// If the socket holds fewer bytes than this, the line counts as empty.
  private static let emptyBytes = 256
  /// A lower bound on `low`: about one packet, or a message with a handful of shapes.
  private static let lowBytesMin = 1_024
  /// The bytes in flight are not limited if the limit would be higher than this, because so high a limit makes no
  /// difference.
  private static let boundBytesMax = 524_288
}
