/// How much may be written to a connection's line now, judging by what the peer has acknowledged.
///
/// A socket takes megabytes for a peer whose line carries kilobytes a second. Bytes in it are old when they arrive, and
/// can't be taken back. So the owner may write only as much as the line carries in about a tenth of a second, beyond
/// what is on its way at any time. The rest stays with the owner, who can send something newer instead.
///
/// A line that keeps up has no bound, however much it is sent: it is only checked now and then. A new line over a
/// distance gets no more than TCP itself would send at first, until that has arrived.
///
/// What always holds:
/// - A line gets a bound only if something that was sent a while ago has still not arrived.
/// - While the line is busy, its rate is what it carried. If it ran empty although the owner had more, its rate was
///   estimated too low, and is raised. So no mistake lasts.
struct LineGauge {
  /// The state of the socket at one moment.
  struct Look {
    /// Bytes that the socket has and the peer has not acknowledged.
    let queued: Int
    /// Bytes that the peer has acknowledged in all.
    let acknowledged: UInt64
    /// The shortest round trip so far, and the newest, in milliseconds.
    let leastRoundTrip: Double
    let roundTrip: Double
  }

  /// The line's rate, in bytes a millisecond. `nil` if no bound is known that matters.
  private(set) var rate: Double?
  /// Whether the line has ever kept up with a few packets.
  private var isProven = false
  /// How much may be written to the socket before the next check.
  private var credit = LineGauge.unlimitedBytes
  private(set) var isBound = false
  private var lookedAt: UInt64 = 0
  /// The bytes in the socket, from the last check and the writes since.
  private var held = 0
  /// How few bytes the socket must hold before more may be written, and how many it may hold then.
  private var low = 0
  private var high = 0

  // Measurements since a mark.
  private var markAt: UInt64 = 0
  private var markSent: UInt64 = 0
  private var markAcknowledged: UInt64 = 0
  private var hasRunEmpty = false
  private var wasHeld = false

  // MARK: What may be sent

  /// Whether this many bytes may be written to the socket without another check.
  func covers(_ count: Int, at now: UInt64) -> Bool {
    guard credit >= count else { return false }
    if now &- lookedAt < Self.lookMilliseconds { return true }
    // In a quiet room, a check would cost as much as a tenth of the sending.
    return rate == nil && held + count <= Self.lightBytes
  }

  mutating func spend(_ count: Int) {
    credit -= count
    held += count
  }

  /// How many of these bytes may be written to the socket, by the check that was just made. If any may be, a whole
  /// frame may be.
  mutating func allowance(_ count: Int) -> Int {
    guard isBound else {
      credit = max(credit, count)
      return count
    }
    if credit < count { wasHeld = true }
    return max(0, min(count, credit))
  }

  /// After how many milliseconds to check again whether a line that was allowed nothing takes more.
  func rest() -> UInt64 {
    guard let rate else { return Self.newLineMilliseconds }
    // Bytes that were written after the check are in the socket too.
    let wait = Double(held - low) / max(rate, 0.001)
    return UInt64(max(2, min(wait, Double(Self.lookMilliseconds)).rounded(.up)))
  }

  // MARK: Looking

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
      // Bytes that should have arrived by now have not.
      rate = carried / elapsed
      return mark(look, at: now)
    }
    guard elapsed >= max(Self.sampleMilliseconds, look.leastRoundTrip) else { return }
    let sample = carried / elapsed
    if !hasRunEmpty {
      rate = (known + sample) / 2
    } else {
      // If it carried little, this process was late, and the line's rate is not known from that.
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
    // As long as nothing waits on the way, more may be sent in each round trip, as TCP itself does.
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

  /// How late bytes may arrive, beyond the round trip: long enough for a peer that delays its acknowledgements, short
  /// enough to count as live.
  private static let slackMilliseconds: Double = 100
  /// How long the line is watched before its rate is judged again. In a shorter time, single packets would matter.
  private static let sampleMilliseconds: Double = 60
  /// The longest time between two checks of a line in use, unless it carries little.
  private static let lookMilliseconds: UInt64 = 100
  /// A line with at least this round trip is not trusted before it has kept up. With a shorter one, trusting costs less
  /// than waiting.
  private static let distanceMilliseconds: Double = 5
  private static let provingBytes: UInt64 = 4_096
  private static let newLineMilliseconds: UInt64 = 5
  /// The bytes that a line without a bound may get between two checks: as much as TCP sends before the first
  /// acknowledgement.
  private static let unlimitedBytes = 16_384
  /// The bytes that a line that keeps up may get without another check. The thinnest line carries this in a quarter of
  /// a second.
  private static let lightBytes = 2_048
  /// With less than this the line counts as empty.
  private static let emptyBytes = 256
  /// The least that any line may get: about a packet, or a message for a handful of shapes.
  private static let lowBytesMin = 1_024
  /// If a line's bound is higher than this, it doesn't matter.
  private static let boundBytesMax = 524_288
}
