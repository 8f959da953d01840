/// A reading of the host's clocks, in milliseconds. Every event carries one, because a replica has no clock of its own.
public struct Moment: Hashable, Sendable {
  /// Unix time by the host's wall clock. This clock can be wrong, and can jump.
  public var wallMilliseconds: UInt64

  /// The time since an arbitrary beginning, by a clock that never goes back. Pauses and deadlines are measured on this
  /// clock.
  public var monotonicMilliseconds: UInt64

  public init(wallMilliseconds: UInt64, monotonicMilliseconds: UInt64) {
    self.wallMilliseconds = wallMilliseconds
    self.monotonicMilliseconds = monotonicMilliseconds
  }

  /// How much time has passed since `time`, on the monotonic clock.
  func milliseconds(since time: UInt64) -> UInt64 { monotonicMilliseconds &- min(time, monotonicMilliseconds) }

  /// How far the wall clock is ahead of the monotonic clock. This falls only if the wall clock is set back. It rises if
  /// the wall clock is put forward, or if the monotonic clock stands still while the host sleeps.
  var wallAhead: Int64 { Int64(clamping: wallMilliseconds) &- Int64(clamping: monotonicMilliseconds) }
}
