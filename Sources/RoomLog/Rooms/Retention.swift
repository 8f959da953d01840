/// How much of a room's history is kept. Without limits, all of it.
///
/// Records go only where a complete snapshot stands for them, so a room can be folded, as of any moment that is kept,
/// from a snapshot and the records after it. More is kept than asked for where no snapshot is at the right place.
public struct Retention: Hashable, Sendable {
  /// Records that arrived longer ago may go.
  public var ageMillisecondsMax: UInt64?
  /// Records with this many operations after them may go.
  public var operationsMax: UInt64?

  public init(ageMillisecondsMax: UInt64? = nil, operationsMax: UInt64? = nil) {
    self.ageMillisecondsMax = ageMillisecondsMax
    self.operationsMax = operationsMax
  }

  public static let everything = Retention()

  /// Into how many parts the history that is kept is divided by snapshots, so that its beginning can be cut off a part
  /// at a time, and a moment in it can be read without folding all before.
  static let partsMax: UInt64 = 4
}

extension RoomEntry {
  /// The snapshot to which a room can be trimmed; nil where that is no further than it is already.
  func trimmable(by retention: Retention, milliseconds now: UInt64) -> SnapshotPlace? {
    let place = snapshots.last { place in
      if let age = retention.ageMillisecondsMax, now >= age, place.milliseconds <= now - age { return true }
      if let most = retention.operationsMax, operations - min(operations, place.operations) >= most { return true }
      return false
    }
    guard let place, place.position > trimmed else { return nil }
    return place
  }

  /// The snapshots that nobody needs: all before the one that the room is trimmed to, and those that stand so close to
  /// the one before that they divide the history more finely than `Retention.partsMax`.
  func needlessSnapshots(by retention: Retention) -> [SnapshotPlace] {
    var needless: [SnapshotPlace] = []
    var kept: SnapshotPlace?
    let operationsKept = min(operations, retention.operationsMax ?? UInt64.max)
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
            operationsSince >= max(operationsKept / Retention.partsMax, 1)
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
