import CanvasCRDT
import RoomLog
import WebSocketLoop

// Snapshots let rooms open quickly. The list of rooms also reads from them how many shapes a closed room has.

extension Hub {
  func snapshot(_ open: OpenRoom) {
    guard open.snapshot.mayBegin(now: SteadyClock.milliseconds()), log.fault == nil else { return }
    let shapes = open.room.canvas.shapeCount
    guard snapshots.begin(shapes: shapes) else { return }
    open.beginSnapshot()
    Task {
      await self.takeSnapshot(of: open)
      snapshots.end(shapes: shapes)
    }
  }

  private func takeSnapshot(of open: OpenRoom) async {
    open.room.forgetErasures(now: .now())
    let image = open.room.image()
    let operations = open.room.operationCount
    let isStored = await store(image, of: open)
    let now = SteadyClock.milliseconds()
    open.endSnapshot(position: image.position, operations: operations, isStored: isStored, now: now)
  }

  /// Has the log store a snapshot.
  /// - Returns: whether it was stored.
  private func store(_ image: RoomImage, of open: OpenRoom) async -> Bool {
    let timeline = run.timeline
    let shapes = UInt64(open.room.canvas.liveCount)
    let digest = open.room.canvas.digest
    let made = await Hub.encode(image, digest: digest)
    guard made.isTrue else {
      counts.noteSnapshot(isTrue: false)
      logger.error("a snapshot differs from its room; it is not kept", ["room": .text(open.name)])
      return false
    }
    let event = await ask {
      .snapshot(
        SnapshotRequest(
          id: $0,
          room: open.name,
          epoch: open.room.epoch,
          position: image.position,
          shapes: shapes,
          bytes: made.bytes,
          timeline: timeline
        )
      )
    }
    guard case .snapshotted = event else {
      logger.warning("no snapshot", ["room": .text(open.name), "reason": .text(event.words)])
      return false
    }
    counts.noteSnapshot(isTrue: true)
    return true
  }

  /// Makes snapshots before the log is closed, so that rooms open fast after the next start. It makes as many as time
  /// allows, beginning with those that replace damaged records.
  func snapshotBeforeStopping() {
    var shapesLeft = Hub.shapesBeforeStoppingMax
    var roomsLeft = Hub.roomsBeforeStoppingMax
    for open in rooms.all.filter(\.lacksSnapshot).sorted(by: { $0.isLogDamaged && !$1.isLogDamaged }) {
      shapesLeft -= open.room.canvas.shapeCount
      roomsLeft -= 1
      guard shapesLeft >= 0, roomsLeft >= 0, log.fault == nil else { return }
      let snapshot = SnapshotRequest(
        id: 0,
        room: open.name,
        epoch: open.room.epoch,
        position: open.room.position,
        shapes: UInt64(open.room.canvas.liveCount),
        bytes: open.room.image().encoded(),
        timeline: run.timeline
      )
      log.send(.snapshot(snapshot))
    }
  }

  /// How many shapes are stored in snapshots before stopping. That takes about a second of encoding and two of syncing.
  private static let shapesBeforeStoppingMax = 500_000
  private static let roomsBeforeStoppingMax = 500

  /// Encodes a snapshot and decodes it again for comparison, so that none is stored that would give a different room.
  @concurrent private static func encode(
    _ image: RoomImage,
    digest: UInt64
  ) async -> (bytes: [UInt8], isTrue: Bool) {
    let bytes = image.encoded()
    guard let back = try? RoomImage(bytes, seed: digest) else { return (bytes, false) }
    return (bytes, back.canvas.digest == digest)
  }
}
