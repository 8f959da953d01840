/// A replica's clock: its stamps follow the server's time, however wrong the host's is.
struct ServerClock: Sendable {
  var clock: Clock

  /// How far the server's time is past the host's wall clock, once anyone has said.
  private(set) var offset: Int64?

  /// The greatest time that the server has told or taken. A clock that ran ahead can be set back to it.
  private(set) var confirmedTime: UInt64

  /// The greatest time that the server let in and then refused for another reason: not to be given out again.
  private var spentTime: UInt64 = 0

  private var reading: (server: UInt64, monotonic: UInt64)?

  /// A round trip longer than this says nothing about where in it the server looked at its clock.
  private static let roundTripMillisecondsMax: UInt64 = 10_000

  init(clock: Clock, confirmedTime: UInt64 = 0, offset: Int64? = nil) {
    self.clock = clock
    self.confirmedTime = confirmedTime
    self.offset = offset
  }

  /// What the server's clock says now, as far as one can know.
  ///
  /// Of the two ways to count on from the last reading the later is taken: a host that slept has a monotonic clock
  /// that stood still, and one whose wall clock was put back would otherwise stamp in the past.
  func milliseconds(at now: Moment) -> UInt64 {
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

  /// The server said its time, in answer to what was sent `sentAt`.
  mutating func read(_ server: UInt64, sentAt: UInt64?, at now: Moment) {
    var server = min(server, Stamp.millisecondsMax)
    if let sentAt, now.monotonicMilliseconds >= sentAt {
      server += min(now.monotonicMilliseconds - sentAt, ServerClock.roundTripMillisecondsMax) / 2
    }
    offset = Int64(clamping: server) - Int64(clamping: min(now.wallMilliseconds, Stamp.millisecondsMax))
    reading = (server, now.monotonicMilliseconds)
  }

  mutating func tick(at now: Moment) -> Stamp {
    clock.tick(milliseconds: milliseconds(at: now))
  }

  /// Takes in a stamp that the server told or took.
  mutating func observe(_ stamp: Stamp) {
    clock.observe(stamp)
    confirmedTime = max(confirmedTime, stamp.time)
  }

  /// Takes note of a stamp of one's own whose operation was refused. What somebody may have heard of under it, say from a
  /// log that could not tell, must never be about anything else.
  mutating func spend(_ stamp: Stamp) {
    spentTime = max(spentTime, stamp.time)
  }

  /// Begins anew behind what is confirmed, as `actor`, when what has been given out since is to be given out again.
  /// What is past `bound`, in milliseconds, no room would take.
  mutating func restart(as actor: Identifier, behind bound: UInt64) {
    clock = Clock(actor: actor, time: spentTime >> 16 <= bound ? max(confirmedTime, spentTime) : confirmedTime)
  }

  /// Begins behind what is confirmed as somebody who has given out nothing yet.
  mutating func begin(as actor: Identifier) {
    clock = Clock(actor: actor, time: confirmedTime)
    spentTime = 0
  }
}
