import CanvasCRDT

/// A room's counters for the metrics. They only grow.
struct RoomCounts: Hashable, Sendable {
  private(set) var beats: UInt64 = 0
  /// The number of operations in all broadcasts.
  private(set) var beatOperations: UInt64 = 0
  private(set) var framesBytes: UInt64 = 0
  private(set) var statesMade: UInt64 = 0
  private(set) var caughtUp: UInt64 = 0
  /// How many times slow readers got the newest values in place of several broadcasts.
  private(set) var leaps: UInt64 = 0
  /// How many times a client that joined was sent the whole state. The next value counts the clients that were sent
  /// only the difference from their own state. The two values after that are the same for readers that had fallen
  /// behind.
  private(set) var joinsWhole: UInt64 = 0
  private(set) var joinsDifference: UInt64 = 0
  private(set) var catchUpsWhole: UInt64 = 0
  private(set) var catchUpsDifference: UInt64 = 0
  private(set) var digests: UInt64 = 0
  /// The counts of refusals, by the raw value of the code.
  private(set) var refusals = [UInt64](repeating: 0, count: RejectCode.allCases.count)

  mutating func note(_ beat: FanOut.Flushed) {
    beats += 1
    beatOperations += UInt64(beat.operations)
    framesBytes += UInt64(beat.bytes)
  }

  mutating func noteState(isNewcomer: Bool, isWhole: Bool, isMade: Bool) {
    if isMade { statesMade += 1 }
    switch (isNewcomer, isWhole) {
    case (true, true): joinsWhole += 1
    case (true, false): joinsDifference += 1
    case (false, true): catchUpsWhole += 1
    case (false, false): catchUpsDifference += 1
    }
  }

  mutating func noteFallenOff(_ readers: Int) { caughtUp += UInt64(readers) }
  mutating func noteLeap() { leaps += 1 }
  mutating func noteDigest() { digests += 1 }
  mutating func noteRefusal(_ code: RejectCode) { refusals[Int(code.rawValue)] += 1 }

  func refusals(_ code: RejectCode) -> UInt64 { refusals[Int(code.rawValue)] }

  mutating func add(_ other: RoomCounts) {
    beats += other.beats
    beatOperations += other.beatOperations
    framesBytes += other.framesBytes
    statesMade += other.statesMade
    caughtUp += other.caughtUp
    leaps += other.leaps
    joinsWhole += other.joinsWhole
    joinsDifference += other.joinsDifference
    catchUpsWhole += other.catchUpsWhole
    catchUpsDifference += other.catchUpsDifference
    digests += other.digests
    for index in refusals.indices { refusals[index] += other.refusals[index] }
  }
}
