/// Limits on how much of each room's history is kept. Without a limit, all of it is kept.
///
/// Records are dropped only if a complete snapshot covers them. So the room can be read as of any moment in the kept
/// history: from a snapshot and the records after it. If there is no snapshot just at the limit, some older records are
/// kept too.
public struct Retention: Hashable, Sendable {
  /// Records can be dropped when they are older than this, in milliseconds.
  public var ageMillisecondsMax: UInt64?

  public init(ageMillisecondsMax: UInt64? = nil) {
    self.ageMillisecondsMax = ageMillisecondsMax
  }

  public static let everything = Retention()

  /// Snapshots divide the history into at most this many parts. The oldest part can be dropped without the others. To
  /// read the room at an earlier time, the records of one part are enough.
  static let partsMax: UInt64 = 4
}

extension RoomEntry {
  /// The snapshots up to which retention allows the room to be trimmed, oldest first.
  func trimmable(by retention: Retention, milliseconds now: UInt64) -> [SnapshotPlace] {
    guard let age = retention.ageMillisecondsMax, now >= age else { return [] }
    return snapshots.filter { $0.milliseconds <= now - age && $0.position > trimmed }
  }

  /// The snapshots that can be deleted. The newest snapshot is always kept.
  /// - Those before the snapshot to which the room is trimmed.
  /// - Those too near the snapshot before them: less than 1/`Retention.partsMax` of the kept age lies in between. If no
  ///   age is set, all operations count instead of the age.
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
