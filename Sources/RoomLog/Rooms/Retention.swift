/// How much of a room's history is kept. Without a limit, the whole history is kept.
///
/// Records are dropped only if a complete snapshot covers them. So a room can be folded as of any moment in the kept
/// history: from a snapshot and the records after it. If there is no snapshot at the right place, more history is kept
/// than the limit asks for.
public struct Retention: Hashable, Sendable {
  /// The age from which records may be dropped.
  public var ageMillisecondsMax: UInt64?

  public init(ageMillisecondsMax: UInt64? = nil) {
    self.ageMillisecondsMax = ageMillisecondsMax
  }

  public static let everything = Retention()

  /// The upper bound on the parts into which snapshots divide the kept history. With several parts, the oldest can be
  /// dropped alone. To read a moment in a later part, the parts before it need not be folded.
  static let partsMax: UInt64 = 4
}

extension RoomEntry {
  /// The snapshots to which the room may be trimmed, oldest first.
  func trimmable(by retention: Retention, milliseconds now: UInt64) -> [SnapshotPlace] {
    guard let age = retention.ageMillisecondsMax, now >= age else { return [] }
    return snapshots.filter { $0.milliseconds <= now - age && $0.position > trimmed }
  }

  /// The snapshots that are not needed. There are two kinds: snapshots before the one to which the room is trimmed, and
  /// snapshots so close to the one before them that the history would have more parts than `Retention.partsMax`.
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
