/// A replica's clock. It gives stamps, and knows which of them the server has heard of.
struct StampClock: Sendable {
  var clock: Clock

  /// The greatest time that the server has told or taken. A clock that ran ahead can be set back to it.
  private(set) var confirmedTime: UInt64

  /// The greatest time that the server let in and then refused for another reason: not to be given out again.
  private var spentTime: UInt64 = 0

  init(clock: Clock, confirmedTime: UInt64 = 0) {
    self.clock = clock
    self.confirmedTime = confirmedTime
  }

  mutating func tick(milliseconds: UInt64) -> Stamp { clock.tick(milliseconds: milliseconds) }

  /// Takes in a stamp that the server told or took.
  mutating func observe(_ stamp: Stamp) {
    clock.observe(stamp)
    confirmedTime = max(confirmedTime, stamp.time)
  }

  /// Takes note of a stamp of one's own whose operation was refused. What somebody may have heard of under it, say from
  /// a log that could not tell, must never be about anything else.
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
