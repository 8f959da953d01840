/// A replica's clock. It makes stamps, and knows the latest stamp that the server might have seen.
struct StampClock: Sendable {
  var clock: Clock

  /// The greatest time among the stamps that the server has sent or accepted. A clock that ran ahead can be set back to
  /// this time.
  private(set) var confirmedTime: UInt64

  /// The greatest time among the present actor's stamps that the server has sent or accepted. Unlike `confirmedTime`, it
  /// is kept when the room is created anew.
  private(set) var ownTime: UInt64

  /// The greatest time of a stamp whose operation was refused. Such stamps must not be used again.
  private var spentTime: UInt64 = 0

  /// Up to this time, earlier processes with the same actor might have sent stamps that this process doesn't know of.
  private(set) var formerTime: UInt64

  /// The greatest time among the stamps that were sent, under any actor. The room may have accepted such a stamp even
  /// if no answer came.
  private(set) var sentTime: UInt64

  init(clock: Clock, confirmedTime: UInt64 = 0, formerTime: UInt64 = 0) {
    self.clock = clock
    self.confirmedTime = confirmedTime
    self.formerTime = formerTime
    ownTime = confirmedTime
    sentTime = formerTime
  }

  /// Whether the clock must not be set back to `confirmedTime`, because an earlier process with the same actor might
  /// have sent later stamps.
  var followsFormerLife: Bool { formerTime > confirmedTime }

  mutating func tick(milliseconds: UInt64) -> Stamp { clock.tick(milliseconds: milliseconds) }

  mutating func stamped(_ edits: [ShapeEdit], milliseconds: UInt64) -> [Operation] {
    edits.map { Operation(shape: $0.shape, at: tick(milliseconds: milliseconds), set: $0.set) }
  }

  /// Takes note of a stamp that the server has sent or accepted.
  mutating func observe(_ stamp: Stamp) {
    clock.observe(stamp)
    confirmedTime = max(confirmedTime, stamp.time)
    if stamp.actor == clock.actor { ownTime = max(ownTime, stamp.time) }
  }

  /// Registers a stamp whose operation was refused. Somebody might have seen the operation all the same, for example if
  /// the log could not tell whether it was stored. So the stamp must never be used for another operation.
  mutating func spend(_ stamp: Stamp) {
    spentTime = max(spentTime, stamp.time)
  }

  /// Registers a stamp that is being sent to the room.
  mutating func send(_ stamp: Stamp) {
    sentTime = max(sentTime, stamp.time)
  }

  /// Restarts the clock for `actor`, after the greatest time that the room might have. Stamps that were made but not
  /// sent can then be made again.
  ///
  /// A sent or refused time after `bound` (milliseconds) is ignored, because no room has accepted it. A time that an
  /// earlier process might have sent counts even after `bound`. A room that is ahead of its server's clock might have
  /// accepted that time.
  mutating func restart(as actor: Identifier, behind bound: UInt64) {
    if actor != clock.actor { (formerTime, ownTime) = (0, 0) }
    if sentTime >> 16 > bound { sentTime = 0 }
    let known = spentTime >> 16 <= bound ? max(confirmedTime, spentTime) : confirmedTime
    clock = Clock(actor: actor, time: max(known, formerTime, sentTime), share: clock.share)
  }

  /// Forgets up to which time earlier processes might have sent stamps.
  mutating func forgetFormer() {
    formerTime = 0
  }

  /// Forgets which stamps the room has accepted, so that the next `restart` can set the clock back to before them.
  mutating func forgetAccepted() {
    confirmedTime = 0
    spentTime = 0
    formerTime = 0
    sentTime = 0
  }

  /// Starts the clock after the confirmed time, for an actor that has made no stamp yet.
  mutating func begin(as actor: Identifier) {
    clock = Clock(actor: actor, time: confirmedTime)
    spentTime = 0
    formerTime = 0
    sentTime = 0
    ownTime = 0
  }
}

extension Replica {
  /// Makes all stamps in this share from now on, and gives the unsent edits stamps in it. To be called before any of
  /// them is sent under the present actor.
  public mutating func take(_ share: CounterShare, at now: Moment) -> [ReplicaEffect] {
    guard share != clock.clock.share else { return finish(at: now) }
    clock.clock.share = share
    restamp(as: actor, now: connection.serverTime.milliseconds(at: now), latest: Stamp.millisecondsMax, shift: 0)
    return finish(at: now)
  }
}
