/// The stamps that a client may use if it can end at any moment and continue from its saved state.
///
/// Suppose that a stamp was sent but not saved. If the clock is behind when the client starts again, the new process
/// could use the same stamp for another edit. So the saved state has a time ahead of all stamps made so far, and the
/// new process starts after this time.
///
/// Invariant: once `reserve` was called, a stamp may be sent only if it is not later than the time known to be saved.
struct StampReserve: Sendable {
  /// How far the reserved time is ahead of the stamps. While somebody draws, the edits are saved more often than this,
  /// so only the first edit has to wait for a save.
  private static let milliseconds: UInt64 = 500

  /// The last reserved time, or 0.
  private(set) var reservedTime: UInt64 = 0
  /// The last time that is known to be saved. `nil` if the host doesn't reserve stamps.
  private var keptTime: UInt64?
  private var isAsked = false

  /// Reserves times after `time`, if few reserved times are left.
  /// - Parameter former: the last time that earlier processes of the client have saved.
  mutating func reserve(after time: UInt64, former: UInt64) {
    if keptTime == nil { keptTime = former }
    let milliseconds = time >> 16
    guard reservedTime >> 16 < milliseconds + StampReserve.milliseconds / 2 else { return }
    reservedTime = StampReserve.end(ofMilliseconds: milliseconds + StampReserve.milliseconds)
  }

  /// Called when the host has saved a reserved time.
  mutating func keep(untilMilliseconds milliseconds: UInt64) {
    isAsked = false
    let time = StampReserve.end(ofMilliseconds: milliseconds)
    // A `time` later than `reservedTime` was reserved before the clock was corrected. It is ignored.
    if let keptTime, time <= reservedTime { self.keptTime = max(keptTime, time) }
  }

  /// Called when the clock was corrected. The next stamps can be earlier than the previous ones.
  mutating func startOver() {
    reservedTime = 0
    if keptTime != nil { keptTime = 0 }
    isAsked = false
  }

  func covers(_ stamp: Stamp) -> Bool { keptTime.map { stamp.time <= $0 } ?? true }

  /// Returns whether to ask the host to save the reserved time. The host is asked once for each reserved time.
  mutating func ask() -> Bool {
    defer { isAsked = true }
    return !isAsked
  }

  private static func end(ofMilliseconds milliseconds: UInt64) -> UInt64 {
    min(milliseconds, Stamp.millisecondsMax) << 16 | 0xFFFF
  }
}

extension Replica {
  /// Reserves stamps. To be called each time before `save`. When the host has stored the saved bytes, it calls `kept`
  /// with the result of this function. After the first call, the replica sends an edit only if the stored bytes cover
  /// the edit's stamp.
  /// - Returns: the time up to which stamps are reserved, in Unix milliseconds.
  public mutating func reserveStamps() -> UInt64 {
    reserve.reserve(after: clock.clock.time, former: clock.formerTime)
    return reserve.reservedTime >> 16
  }

  /// Called when the host has stored a save that was made after `reserveStamps` returned `milliseconds`.
  public mutating func kept(untilMilliseconds milliseconds: UInt64, at now: Moment) -> [ReplicaEffect] {
    reserve.keep(untilMilliseconds: milliseconds)
    return finish(at: now)
  }
}
