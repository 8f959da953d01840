/// A replica's clock. It makes stamps, and knows which of them the server has seen.
struct StampClock: Sendable {
  var clock: Clock

  /// The greatest time of a stamp that the server has sent or accepted. A clock that ran ahead can be set back to it.
  private(set) var confirmedTime: UInt64

  /// The greatest time of a stamp whose operation was refused. It must not be used again.
  private var spentTime: UInt64 = 0

  /// Earlier lives of the actor may have sent stamps up to this time that this life doesn't know of.
  private(set) var formerTime: UInt64

  /// The greatest time of a stamp that was sent, under any actor. The room may have accepted it even if no answer came.
  private(set) var sentTime: UInt64

  init(clock: Clock, confirmedTime: UInt64 = 0, formerTime: UInt64 = 0) {
    self.clock = clock
    self.confirmedTime = confirmedTime
    self.formerTime = formerTime
    sentTime = formerTime
  }

  /// Whether the clock can't go further back only because of stamps that an earlier life may have sent.
  var followsFormerLife: Bool { formerTime > confirmedTime }

  mutating func tick(milliseconds: UInt64) -> Stamp { clock.tick(milliseconds: milliseconds) }

  /// Notes a stamp that the server has sent or accepted.
  mutating func observe(_ stamp: Stamp) {
    clock.observe(stamp)
    confirmedTime = max(confirmedTime, stamp.time)
  }

  /// Notes an own stamp whose operation was refused. Somebody may have seen that operation all the same, for example if
  /// the log could not tell whether it had stored it. So its stamp must never be used for another operation.
  mutating func spend(_ stamp: Stamp) {
    spentTime = max(spentTime, stamp.time)
  }

  /// Notes an own stamp that is on its way to the room.
  mutating func send(_ stamp: Stamp) {
    sentTime = max(sentTime, stamp.time)
  }

  /// Goes back to the time that was confirmed or sent, as `actor`. So stamps made since then can be made again, and the
  /// next ones are still later than all that the room may have of this client. A sent or refused time after `bound`
  /// (milliseconds) is ignored: no room has accepted it. A time that an earlier life may have sent is not ignored: a
  /// room that is ahead of its server may have accepted it.
  mutating func restart(as actor: Identifier, behind bound: UInt64) {
    if actor != clock.actor { formerTime = 0 }
    if sentTime >> 16 > bound { sentTime = 0 }
    let known = spentTime >> 16 <= bound ? max(confirmedTime, spentTime) : confirmedTime
    clock = Clock(actor: actor, time: max(known, formerTime, sentTime))
  }

  /// Forgets what any room has accepted, as an actor that has made no stamp yet.
  mutating func startOver(as actor: Identifier) {
    clock = Clock(actor: actor)
    confirmedTime = 0
    spentTime = 0
    formerTime = 0
    sentTime = 0
  }

  /// Begins after the confirmed time, as an actor that has made no stamp yet.
  mutating func begin(as actor: Identifier) {
    clock = Clock(actor: actor, time: confirmedTime)
    spentTime = 0
    formerTime = 0
    sentTime = 0
  }
}
