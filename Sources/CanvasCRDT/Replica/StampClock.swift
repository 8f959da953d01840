/// A replica's clock. It makes stamps, and knows which of them the server has seen.
struct StampClock: Sendable {
  var clock: Clock

  /// The greatest time of a stamp that the server has sent or taken. A clock that ran ahead can be set back to it.
  private(set) var confirmedTime: UInt64

  /// The greatest time of a stamp whose operation was refused. It must not be given out again.
  private var spentTime: UInt64 = 0

  /// Until when earlier lives of the actor may have sent stamps that this one doesn't know.
  private(set) var formerTime: UInt64

  /// The greatest time of a stamp that was sent, also as somebody else. The room may have taken it, whatever became of the
  /// answer.
  private(set) var sentTime: UInt64

  init(clock: Clock, confirmedTime: UInt64 = 0, formerTime: UInt64 = 0) {
    self.clock = clock
    self.confirmedTime = confirmedTime
    self.formerTime = formerTime
    sentTime = formerTime
  }

  /// Whether it can go back no further than to what an earlier life may have sent.
  var followsFormerLife: Bool { formerTime > confirmedTime }

  mutating func tick(milliseconds: UInt64) -> Stamp { clock.tick(milliseconds: milliseconds) }

  /// Takes note of a stamp that the server has sent or taken.
  mutating func observe(_ stamp: Stamp) {
    clock.observe(stamp)
    confirmedTime = max(confirmedTime, stamp.time)
  }

  /// Takes note of an own stamp whose operation was refused. Somebody may have seen that operation all the same, as when
  /// the log could not tell whether it had stored it. So its stamp must never stand for another operation.
  mutating func spend(_ stamp: Stamp) {
    spentTime = max(spentTime, stamp.time)
  }

  /// Takes note of an own stamp that is on its way to the room.
  mutating func send(_ stamp: Stamp) {
    sentTime = max(sentTime, stamp.time)
  }

  /// Goes back to what was confirmed or sent, as `actor`, so that stamps given out since can be given out again, and
  /// what is written next is newer than all that the room may have of this client. A sent or spent time past `bound`
  /// (milliseconds) is ignored: no room has taken it. A time that an earlier life may have sent is not ignored: a room
  /// that is ahead of its server may have taken that.
  mutating func restart(as actor: Identifier, behind bound: UInt64) {
    if actor != clock.actor { formerTime = 0 }
    if sentTime >> 16 > bound { sentTime = 0 }
    let known = spentTime >> 16 <= bound ? max(confirmedTime, spentTime) : confirmedTime
    clock = Clock(actor: actor, time: max(known, formerTime, sentTime))
  }

  /// Forgets what any room has taken, as an actor who has given out no stamp yet.
  mutating func startOver(as actor: Identifier) {
    clock = Clock(actor: actor)
    confirmedTime = 0
    spentTime = 0
    formerTime = 0
    sentTime = 0
  }

  /// Begins after the confirmed time, as an actor who has given out no stamp yet.
  mutating func begin(as actor: Identifier) {
    clock = Clock(actor: actor, time: confirmedTime)
    spentTime = 0
    formerTime = 0
    sentTime = 0
  }
}
