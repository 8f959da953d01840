/// A hybrid logical clock, which makes one actor's stamps. Each new stamp is greater than all stamps that the clock has
/// made or seen.
///
/// The clock follows the wall clock while the wall clock goes forward, and otherwise counts by itself. So stamps keep
/// rising even if the wall clock jumps back or another machine's clock is fast.
public struct Clock: Hashable, Sendable {
  public let actor: Identifier

  /// The greatest time that the clock has made or seen: milliseconds and counter.
  public private(set) var time: UInt64

  /// The counters that the clock uses. `nil` means all.
  public var share: CounterShare?

  /// A clock that starts after `time`. This is 0 for a new actor, and the saved time for an actor that comes back.
  public init(actor: Identifier, time: UInt64 = 0, share: CounterShare? = nil) {
    self.actor = actor
    self.time = time
    self.share = share
  }

  /// Makes a new stamp, greater than all earlier ones. `milliseconds` is the wall clock's time.
  ///
  /// A full counter carries over into the milliseconds. At the greatest time that a stamp can have, in the year 10889,
  /// the clock stands still.
  public mutating func tick(milliseconds: UInt64) -> Stamp {
    tick(from: min(milliseconds, Stamp.millisecondsMax) << 16)
  }

  /// Makes a new stamp, not before `earliest`, which is a time with a counter.
  mutating func tick(from earliest: UInt64) -> Stamp {
    if earliest > time {
      time = earliest
    } else if time < UInt64.max {
      time += 1
    }
    if let share { time = share.next(from: time) }
    return Stamp(time: time, actor: actor)
  }

  /// Makes sure that every later stamp is greater than `stamp`.
  public mutating func observe(_ stamp: Stamp) {
    time = max(time, stamp.time)
  }
}

// MARK: - Checking stamps

extension Clock {
  /// How a stamp compares with a wall clock. This is checked once, when an operation enters a room, and never when
  /// merging.
  public enum Standing: Hashable, Sendable {
    case plausible
    /// The stamp is further ahead of the wall clock than allowed.
    case ahead(byMilliseconds: UInt64)
    /// The stamp is too old to be merged. Erasures of that age are already forgotten, so the operation might bring a
    /// deleted shape back.
    case tooOld(byMilliseconds: UInt64)
  }

  public static func standing(
    of stamp: Stamp,
    wallMilliseconds: UInt64,
    aheadMillisecondsMax: UInt64,
    horizonMilliseconds: UInt64
  ) -> Standing {
    let stamped = stamp.milliseconds
    if stamped > wallMilliseconds {
      let ahead = stamped - wallMilliseconds
      return ahead > aheadMillisecondsMax ? .ahead(byMilliseconds: ahead) : .plausible
    }
    let behind = wallMilliseconds - stamped
    return behind > horizonMilliseconds ? .tooOld(byMilliseconds: behind) : .plausible
  }
}
