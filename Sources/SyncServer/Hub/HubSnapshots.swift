import CanvasCRDT
import RoomLog
import WebSocketLoop

// Snapshots let rooms open quickly. They also tell how many shapes a closed room has, for the list of rooms.

extension Hub {
  func snapshot(_ open: OpenRoom) {
    guard open.snapshot.mayBegin(now: clocks.steadyMilliseconds), log.fault == nil else { return }
    let shapes = open.room.canvas.shapeCount
    guard snapshots.begin(shapes: shapes) else { return }
    open.beginSnapshot()
    job {
      await self.takeSnapshot(of: open)
      snapshots.end(shapes: shapes)
    }
  }

  private func takeSnapshot(of open: OpenRoom) async {
    // The room may have been closed before this job began. Then its memory is freed already.
    guard !open.isGone else { return }
    change(open) { $0.forgetErasures(now: self.now) }
    let image = open.room.image()
    // The room goes on, and may even be gone before the snapshot is stored.
    defer { free(image, shapes: image.canvas.shapeCount) }
    let operations = open.room.operationCount
    let isStored = await store(image, of: open)
    let now = clocks.steadyMilliseconds
    open.endSnapshot(position: image.position, operations: operations, isStored: isStored, now: now)
  }

  /// Has the log store a snapshot.
  /// - Returns: whether it was stored.
  private func store(_ image: RoomImage, of open: OpenRoom) async -> Bool {
    let timeline = run.timeline
    let shapes = UInt64(open.room.canvas.liveCount)
    let digest = open.room.canvas.digest
    // All snapshots count as the work of one client, so that the work of other clients is done between snapshots.
    let made = try? await heavyWork.run(for: "snapshots", isBounded: false) { image.encodedSurely(as: digest) }
    guard let bytes = checked(made, of: open) else { return false }
    open.giveSnapshot(position: image.position)
    let request = SnapshotRequest(
      id: 0,
      room: open.name,
      epoch: open.room.epoch,
      position: image.position,
      shapes: shapes,
      bytes: bytes,
      timeline: timeline
    )
    do throws(LogError) { try await ask(.snapshot(request)) } catch {
      logger.warning("no snapshot", ["room": .text(open.name), "reason": .text("\(error)")])
      return false
    }
    counts.noteSnapshot(isTrue: true)
    return true
  }

  /// Tells operators if a snapshot's bytes were not those of its room.
  func checked(_ bytes: [UInt8]?, of open: OpenRoom) -> [UInt8]? {
    guard bytes == nil else { return bytes }
    counts.noteSnapshot(isTrue: false)
    logger.error("a snapshot differs from its room; it is not kept", ["room": .text(open.name)])
    return nil
  }

  /// Makes snapshots before the log is closed, so that rooms open fast after the next start. Snapshots that replace
  /// damaged records are made first. The others follow, the smallest first, as long as there is time. Each goes to the
  /// log at once, because the server may be killed before the next one is made.
  func snapshotBeforeStopping() {
    var last = LastSnapshots()
    guard log.fault == nil else { return }
    func order(_ open: OpenRoom) -> (Int, Int) { (open.isLogDamaged ? 0 : 1, open.room.canvas.shapeCount) }
    for open in rooms.all.filter(\.lacksSnapshotAtTheEnd).sorted(by: { order($0) < order($1) }) {
      guard last.takes(shapes: open.room.canvas.shapeCount, isOnlyCopy: open.isLogDamaged),
        let bytes = checked(open.room.image().encodedSurely(as: open.room.canvas.digest), of: open)
      else { continue }
      let snapshot = SnapshotRequest(
        id: 0,
        room: open.name,
        epoch: open.room.epoch,
        position: open.room.position,
        shapes: UInt64(open.room.canvas.liveCount),
        bytes: bytes,
        timeline: run.timeline
      )
      log.store(snapshot)
      _ = log.endTurn { clocks.steadyMilliseconds }
    }
  }
}

extension RoomImage {
  /// The bytes of a snapshot. `nil` if reading them back gives a different room.
  func encodedSurely(as digest: UInt64) -> [UInt8]? {
    let bytes = encoded()
    let back = try? RoomImage(bytes, seed: digest)
    return back?.canvas.digest == digest ? bytes : nil
  }
}
