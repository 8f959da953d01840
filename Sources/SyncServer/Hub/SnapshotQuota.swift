/// Bounds how many snapshots are made at a time, because each snapshot holds the room's bytes twice in memory and waits
/// for a sync. The bound allows many small snapshots or a few large ones. One snapshot is always allowed, however large
/// it is.
struct SnapshotQuota {
  private static let snapshotsMax = 64
  private static let shapesMax = 200_000

  private var snapshots = 0
  private var shapes = 0

  /// - Returns: whether a snapshot of this many shapes may be made now. If so, it counts until `end` is called.
  mutating func begin(shapes count: Int) -> Bool {
    guard
      snapshots == 0 || snapshots < SnapshotQuota.snapshotsMax && shapes + count <= SnapshotQuota.shapesMax
    else { return false }
    snapshots += 1
    shapes += count
    return true
  }

  mutating func end(shapes count: Int) {
    snapshots -= 1
    shapes -= count
  }
}

/// Bounds the snapshots that are made on the loop before the log is closed. A snapshot that is the only sound copy of
/// its room is always made.
struct LastSnapshots {
  /// How many more shapes may be put into snapshots. This many take about two seconds to encode and check, and two to sync.
  private var shapesLeft = 500_000
  private var roomsLeft = 500

  /// - Parameter isOnlyCopy: whether the log's records of the room are damaged. If so, the snapshot is made in any
  ///   case.
  /// - Returns: whether there is time for a snapshot of this many shapes.
  mutating func takes(shapes: Int, isOnlyCopy: Bool) -> Bool {
    guard isOnlyCopy || roomsLeft > 0 && shapes <= shapesLeft else { return false }
    roomsLeft -= 1
    shapesLeft -= shapes
    return true
  }
}
