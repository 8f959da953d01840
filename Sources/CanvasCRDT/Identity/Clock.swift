/// A hybrid logical clock: one actor's stamps, each greater than any that it gave or saw before.
///
/// It follows the wall clock where that goes forward and counts on where it does not, so neither a wall clock that
/// jumps back nor a neighbour's that is fast makes a stamp that loses to an older one.
public struct Clock: Hashable, Sendable {
  public let actor: Identifier

  /// The greatest time given or seen, milliseconds and counter.
  public private(set) var time: UInt64

  /// A clock that has given nothing greater than `time`: nought for a new actor, the saved one for an earlier self.
  public init(actor: Identifier, time: UInt64 = 0) {
    self.actor = actor
    self.time = time
  }

  /// A new stamp, greater than all before; `milliseconds` is what the wall clock says.
  ///
  /// A full counter carries over into the milliseconds. At the end of time, in the year 10889, the clock stands still.
  public mutating func tick(milliseconds: UInt64) -> Stamp {
    let wall = min(milliseconds, Stamp.millisecondsMax) << 16
    if wall > time {
      time = wall
    } else if time < UInt64.max {
      time += 1
    }
    return Stamp(time: time, actor: actor)
  }

  /// Makes every later stamp greater than `stamp`.
  public mutating func observe(_ stamp: Stamp) {
    time = max(time, stamp.time)
  }
}

// MARK: - At the door

extension Clock {
  /// How a stamp stands to a wall clock. Asked once, where an operation enters; merging never asks.
  public enum Standing: Hashable, Sendable {
    case plausible
    /// More than the allowance past the wall clock.
    case ahead(byMilliseconds: UInt64)
    /// Further behind it than erasures are remembered: what was deleted then is forgotten, so it can't be merged.
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
