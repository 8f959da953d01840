/// How much of a room's history is kept. Without limits, all of it.
///
/// Records go only where a complete snapshot stands for them, so a room can be folded, as of any moment that is kept,
/// from a snapshot and the records after it. More is kept than asked for where no snapshot is at the right place.
public struct Retention: Hashable, Sendable {
  /// Records that arrived longer ago may go.
  public var ageMillisecondsMax: UInt64?

  public init(ageMillisecondsMax: UInt64? = nil) {
    self.ageMillisecondsMax = ageMillisecondsMax
  }

  public static let everything = Retention()

  /// Into how many parts the history that is kept is divided by snapshots, so that its beginning can be cut off a part
  /// at a time, and a moment in it can be read without folding all before.
  static let partsMax: UInt64 = 4
}

extension RoomEntry {
  /// The snapshot to which a room can be trimmed; nil where that is no further than it is already.
  func trimmable(by retention: Retention, milliseconds now: UInt64) -> SnapshotPlace? {
    guard let age = retention.ageMillisecondsMax, now >= age,
      let place = snapshots.last(where: { $0.milliseconds <= now - age }), place.position > trimmed
    else { return nil }
    return place
  }

  /// The snapshots that nobody needs: all before the one that the room is trimmed to, and those that stand so close to
  /// the one before that they divide the history more finely than `Retention.partsMax`.
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
