/// A part of a stamp's counters. Several pages that are one actor, because a token names it (C10), each count in a share
/// of their own. So those with different shares never make equal stamps, although none knows what the others make while they are offline.
public struct CounterShare: Hashable, Sendable {
  public static let count: UInt64 = 8
  private static let size = (Stamp.counterMax + 1) / count

  private let first: UInt64

  /// After the last share, numbers begin again with the first one.
  public init(_ number: UInt64) { first = number % CounterShare.count * CounterShare.size }

  /// The earliest time in the share that is not before `time`.
  func next(from time: UInt64) -> UInt64 {
    let counter = time & Stamp.counterMax
    if counter < first { return time - counter + first }
    // The clock stands still at the end of time.
    if counter - first < CounterShare.size || time >> 16 == Stamp.millisecondsMax { return time }
    return time - counter + Stamp.counterMax + 1 + first
  }
}
