/// A replica's clock. It makes stamps, and knows how late a stamp the server may have seen.
struct StampClock: Sendable {
  var clock: Clock

  /// The greatest time among the stamps that the server has sent or accepted. A clock that ran ahead can be set back to
  /// this time.
  private(set) var confirmedTime: UInt64

  /// The greatest time of a stamp whose operation was refused. The stamp must not be used again.
  private var spentTime: UInt64 = 0

  /// Up to this time, earlier lives of the actor may have sent stamps that this life doesn't know of.
  private(set) var formerTime: UInt64

  /// The greatest time among the stamps that were sent, under any actor. The room may have accepted such a stamp even
  /// if no answer came.
  private(set) var sentTime: UInt64

  init(clock: Clock, confirmedTime: UInt64 = 0, formerTime: UInt64 = 0) {
    self.clock = clock
    self.confirmedTime = confirmedTime
    self.formerTime = formerTime
    sentTime = formerTime
  }

  /// Whether the clock could be set back further, were it not for stamps that an earlier life of the actor may have
  /// sent.
  var followsFormerLife: Bool { formerTime > confirmedTime }

  mutating func tick(milliseconds: UInt64) -> Stamp { clock.tick(milliseconds: milliseconds) }

  /// Takes in a stamp that the server has sent or accepted.
  mutating func observe(_ stamp: Stamp) {
    clock.observe(stamp)
    confirmedTime = max(confirmedTime, stamp.time)
  }

  /// Takes in one of the client's own stamps whose operation was refused. Somebody may have seen the operation all the
  /// same, for example if the log could not tell whether it had stored the operation. So this stamp must never be used
  /// for another operation.
  mutating func spend(_ stamp: Stamp) {
    spentTime = max(spentTime, stamp.time)
  }

  /// Takes in one of the client's own stamps that is on its way to the room.
  mutating func send(_ stamp: Stamp) {
    sentTime = max(sentTime, stamp.time)
  }

  /// Sets the clock back to the greatest time that was confirmed or sent, as `actor`. Later stamps that were made but
  /// not sent are made again. The next stamps are still later than all stamps of this client that the room may have. A
  /// sent or refused time after `bound` (milliseconds) is ignored, because no room has accepted it. In contrast, a time
  /// that an earlier life may have sent counts even after `bound`, because a room that is ahead of its server may have
  /// accepted it.
  mutating func restart(as actor: Identifier, behind bound: UInt64) {
    if actor != clock.actor { formerTime = 0 }
    if sentTime >> 16 > bound { sentTime = 0 }
    let known = spentTime >> 16 <= bound ? max(confirmedTime, spentTime) : confirmedTime
    clock = Clock(actor: actor, time: max(known, formerTime, sentTime))
  }

  /// Forgets which stamps any room has accepted. The next `restart` sets the clock back accordingly.
  mutating func forgetAccepted() {
    confirmedTime = 0
    spentTime = 0
    formerTime = 0
    sentTime = 0
  }

  /// Starts after the confirmed time, as an actor that has made no stamp yet.
  mutating func begin(as actor: Identifier) {
    clock = Clock(actor: actor, time: confirmedTime)
    spentTime = 0
    formerTime = 0
    sentTime = 0
  }
}
