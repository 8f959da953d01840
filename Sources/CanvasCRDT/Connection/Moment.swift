/// The host's clocks, in milliseconds. Every event carries them, because a replica has no clock of its own.
public struct Moment: Hashable, Sendable {
  /// Unix time by the host's clock. It may be wrong, and it may jump.
  public var wallMilliseconds: UInt64

  /// Time since an arbitrary beginning. It never goes back. Pauses and deadlines are measured on it.
  public var monotonicMilliseconds: UInt64

  public init(wallMilliseconds: UInt64, monotonicMilliseconds: UInt64) {
    self.wallMilliseconds = wallMilliseconds
    self.monotonicMilliseconds = monotonicMilliseconds
  }

  /// How long ago a time on the monotonic clock is.
  func milliseconds(since time: UInt64) -> UInt64 { monotonicMilliseconds &- min(time, monotonicMilliseconds) }
}
