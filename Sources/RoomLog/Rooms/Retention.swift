/// How much of a room's history is kept. Without limits, all of it is.
///
/// Records are dropped only if a complete snapshot covers them. So a room can be folded, as of any moment that is kept,
/// from a snapshot and the records after it. If no snapshot is at the right place, more is kept than was asked for.
public struct Retention: Hashable, Sendable {
  /// Records that are older than this may be dropped.
  public var ageMillisecondsMax: UInt64?

  public init(ageMillisecondsMax: UInt64? = nil) {
    self.ageMillisecondsMax = ageMillisecondsMax
  }

  public static let everything = Retention()

  /// The number of parts into which snapshots divide the history that is kept. Its oldest part can then be dropped
  /// alone, and reading a moment in it doesn't take folding everything before.
  static let partsMax: UInt64 = 4
}

extension RoomEntry {
  /// The snapshots to which the room may be trimmed, oldest first.
  func trimmable(by retention: Retention, milliseconds now: UInt64) -> [SnapshotPlace] {
    guard let age = retention.ageMillisecondsMax, now >= age else { return [] }
    return snapshots.filter { $0.milliseconds <= now - age && $0.position > trimmed }
  }

  /// The snapshots that are not needed: those before the one that the room is trimmed to, and those so close to the one
  /// before them that they divide the history more finely than `Retention.partsMax`.
  func needlessSnapshots(by retention: Retention) -> [SnapshotPlace] {
    var needless: [SnapshotPlace] = []
    var kept: SnapshotPlace?
    for (index, place) in snapshots.enumerated() {
      if place.position < trimmed {
        needless.append(place)
        continue
      }
      let isLast = index == snapshots.count - 1
      let isBase = trimmed > 0 && place.position == trimmed
      if !isLast, !isBase {
        let operationsSince = place.operations - min(place.operations, kept?.operations ?? 0)
        let millisecondsSince = place.milliseconds - min(place.milliseconds, kept?.milliseconds ?? createdMilliseconds)
        let isFar =
          if let age = retention.ageMillisecondsMax {
            millisecondsSince >= age / Retention.partsMax
          } else {
            operationsSince >= max(operations / Retention.partsMax, 1)
          }
        if !isFar {
          needless.append(place)
          continue
        }
      }
      kept = place
    }
    return needless
  }
}
