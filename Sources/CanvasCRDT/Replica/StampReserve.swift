/// The stamps that a client may send that can end at any moment and then goes on from its saved state.
///
/// A stamp that was sent but not kept could be given to another edit by the client's next life, if its clock is behind by
/// then. So what is kept names a time ahead of all stamps given out, and the next life begins after that time.
///
/// What always holds: once `reserve` was called, no stamp is covered that is later than the time that is known to be kept.
struct StampReserve: Sendable {
  /// How far ahead. While somebody draws, edits are kept many times in as long, so that only the first has to wait.
  private static let milliseconds: UInt64 = 500

  /// The last time that is reserved. 0 where nothing is.
  private(set) var reservedTime: UInt64 = 0
  /// The last time that is known to be kept. `nil` for a host that doesn't ask for reserves.
  private var keptTime: UInt64?
  private var isAsked = false

  /// Reserves times after `time`, if few are left, for the host to keep.
  /// - Parameter former: what was kept before, by the client's earlier lives.
  mutating func reserve(after time: UInt64, former: UInt64) {
    if keptTime == nil { keptTime = former }
    let milliseconds = time >> 16
    guard reservedTime >> 16 < milliseconds + StampReserve.milliseconds / 2 else { return }
    reservedTime = StampReserve.end(ofMilliseconds: milliseconds + StampReserve.milliseconds)
  }

  /// The host has kept a time that was reserved.
  mutating func keep(untilMilliseconds milliseconds: UInt64) {
    isAsked = false
    let time = StampReserve.end(ofMilliseconds: milliseconds)
    // Later times were reserved before the clock was set right.
    if let keptTime, time <= reservedTime { self.keptTime = max(keptTime, time) }
  }

  /// The clock was set right, and stamps may come that are earlier than those before.
  mutating func startOver() {
    reservedTime = 0
    if keptTime != nil { keptTime = 0 }
    isAsked = false
  }

  func covers(_ stamp: Stamp) -> Bool { keptTime.map { stamp.time <= $0 } ?? true }

  /// - Returns: whether the host has yet to be asked to keep what is reserved.
  mutating func ask() -> Bool {
    defer { isAsked = true }
    return !isAsked
  }

  private static func end(ofMilliseconds milliseconds: UInt64) -> UInt64 {
    min(milliseconds, Stamp.millisecondsMax) << 16 | 0xFFFF
  }
}

extension Replica {
  /// Reserves stamps, to be called each time before `save`. When what `save` returns is kept, the host calls `kept` with the
  /// result. From the first call on, the replica sends no edit before its stamp is kept.
  /// - Returns: until when stamps are reserved, in Unix milliseconds.
  public mutating func reserveStamps() -> UInt64 {
    reserve.reserve(after: clock.clock.time, former: clock.formerTime)
    return reserve.reservedTime >> 16
  }

  /// The host has kept what was saved after `reserveStamps` returned `milliseconds`.
  public mutating func kept(untilMilliseconds milliseconds: UInt64, at now: Moment) -> [ReplicaEffect] {
    reserve.keep(untilMilliseconds: milliseconds)
    return finish(at: now)
  }
}
