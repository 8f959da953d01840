import CanvasCRDT
import RoomLog
import WebSocketLoop

/// What came of opening a room.
enum Opening: Sendable {
  case open(OpenRoom)
  /// Nobody has written to it.
  case absent
  /// As many are open as may be.
  case full
  case failed(String)
}

// Rooms come from the log when somebody asks for them, and go when nobody is there.

extension Hub {
  /// The room, opened if it was not.
  /// - Parameter mayCreate: whether one that nobody has written to is made.
  func opened(_ name: String, mayCreate: Bool) async -> Opening {
    while true {
      if let open = rooms[name], !open.isGone { return .open(open) }
      let task = openings[name] ?? Task { await self.load(name) }
      openings[name] = task
      let opening = await task.value
      switch opening {
      case .open(let open) where open.isGone: continue
      case .absent where mayCreate:
        if let open = rooms[name], !open.isGone { return .open(open) }
        guard makeRoomForAnother() else { return .full }
        return .open(create(name))
      case .open, .absent, .full, .failed: return opening
      }
    }
  }

  private func create(_ name: String) -> OpenRoom {
    let room = Room(
      name: Text(name),
      epoch: generator.next(),
      limits: limits,
      framing: framing,
      seed: generator.next()
    )
    let open = OpenRoom(name: name, room: room, isStored: false)
    rooms[name] = open
    return open
  }

  /// Where as many are open as may be, one that is idle goes, with a snapshot or without.
  private func makeRoomForAnother() -> Bool {
    guard UInt64(rooms.count + roomsComing) >= limits.rooms else { return true }
    guard let idle = rooms.values.first(where: { $0.room.isIdle && $0.holds == 0 && !$0.isSnapshotting }) else {
      return false
    }
    letGo(idle)
    return true
  }

  private func load(_ name: String) async -> Opening {
    // Here and not where it is waited for: by then another may be under way.
    defer { openings[name] = nil }
    let began = SteadyClock.microseconds()
    let event = await ask { .load(LoadRequest(id: $0, room: name)) }
    guard case .loaded(_, let loaded) = event else {
      if case .failed(_, _, .noSuchRoom) = event { return .absent }
      return .failed(Hub.words(event))
    }
    if let damage = loaded.summary.damage {
      logger.error("\(damage)", ["room": .text(name)])
      return .failed("\(damage)")
    }
    guard makeRoomForAnother() else { return .full }
    roomsComing += 1
    defer { roomsComing -= 1 }
    let seed = generator.next()
    var snapshot: RoomImage?
    if let stored = loaded.snapshot {
      snapshot = await Hub.decode(stored.bytes, seed: seed)
      if snapshot == nil {
        logger.error(
          "a snapshot can't be read; the log is",
          ["room": .text(name), "position": .init(stored.place.position)]
        )
      }
    }
    let open = OpenRoom(
      name: name,
      room: Room(
        name: Text(name),
        epoch: loaded.summary.epoch,
        limits: limits,
        framing: framing,
        seed: seed,
        image: snapshot
      ),
      isStored: true,
      snapshotPosition: snapshot?.position ?? 0
    )
    open.snapshotOperations = open.room.operationCount
    open.room.isLogDoubtful = fault != nil
    if let fault = await fold(open, through: loaded.summary.last) { return .failed(fault) }
    // Two of one name would each have half of what is written. One may have been made while the log still had none.
    if let other = rooms[name], !other.isGone { return .open(other) }
    rooms[name] = open
    logger.debug(
      "room opened",
      [
        "room": .text(name), "shapes": .init(open.room.canvas.liveCount),
        "milliseconds": .init((SteadyClock.microseconds() - began) / 1_000),
      ]
    )
    return .open(open)
  }

  /// Brings a room that nobody has yet up to the end of its log. Says what stands in the way.
  private func fold(_ open: OpenRoom, through last: UInt64) async -> String? {
    var after = open.room.position
    while after < last {
      let event = await ask {
        .read(ReadRequest(id: $0, room: open.name, epoch: open.room.epoch, after: after))
      }
      guard case .read(_, let page) = event else { return Hub.words(event) }
      let now = Moment.now()
      for record in page.records {
        guard let operations = StoredOperations.decode(record.bytes) else {
          return "the record at \(record.position) is of a newer server"
        }
        let record = RoomRecord(
          position: record.position,
          milliseconds: record.milliseconds,
          operations: operations
        )
        open.room.delivered(record, now: now)
      }
      guard page.through > after, !page.isLast else { return nil }
      after = page.through
    }
    return nil
  }

  /// Beside the traffic: a large one takes a while.
  @concurrent private static func decode(_ bytes: [UInt8], seed: UInt64) async -> RoomImage? {
    try? RoomImage(bytes, seed: seed)
  }

  // MARK: Going

  /// Nobody is here. A snapshot makes it quick to open again, and tells the list of rooms how many shapes it has.
  func closeIdle(_ open: OpenRoom) {
    if open.isStored, open.room.position > open.snapshotPosition, !open.isSnapshotting {
      snapshot(open)
      return
    }
    guard !open.isSnapshotting else { return }
    letGo(open)
  }

  private func letGo(_ open: OpenRoom) {
    open.isGone = true
    rooms[open.name] = nil
    metrics.closedRooms.add(open.room.counts)
    logger.debug("room closed", ["room": .text(open.name)])
    if open.room.canvas.shapeCount > Hub.shapesWorthTrimming {
      loop.schedule(afterMilliseconds: 100) { EventLoop.returnFreedMemory() }
    }
  }

  /// Megabytes, that would otherwise stay with the process.
  private static let shapesWorthTrimming = 10_000

  /// The room is deleted: its clients are told, and what is on its way is refused.
  func removed(_ name: String) {
    guard let open = rooms.removeValue(forKey: name) else { return }
    open.room.close(.noSuchRoom, "the room was deleted", now: .now())
    carryOutEffects(of: open)
    open.isGone = true
    metrics.closedRooms.add(open.room.counts)
    for (id, append) in appends where append.room === open { appends[id] = nil }
    logger.info("room deleted", ["room": .text(name)])
  }

  // MARK: Snapshots

  /// As many operations as a snapshot has shapes cost as much to read as it does to write.
  func snapshotIfWorthwhile(_ open: OpenRoom) {
    let since = open.room.operationCount - min(open.snapshotOperations, open.room.operationCount)
    guard open.isStored, since >= UInt64(max(4_096, open.room.canvas.shapeCount)) else { return }
    snapshot(open)
  }

  /// Each holds the room's bytes twice, and waits for a sync: many small ones at a time, or few large ones.
  private static let snapshotsUnderWayMax = 64
  private static let snapshotShapesUnderWayMax = 200_000

  private func snapshot(_ open: OpenRoom) {
    guard !open.isSnapshotting, fault == nil else { return }
    let shapes = open.room.canvas.shapeCount
    guard
      snapshotsUnderWay == 0
        || snapshotsUnderWay < Hub.snapshotsUnderWayMax
          && snapshotShapesUnderWay + shapes <= Hub.snapshotShapesUnderWayMax
    else { return }
    snapshotShapesUnderWay += shapes
    open.isSnapshotting = true
    snapshotsUnderWay += 1
    Task {
      await self.takeSnapshot(of: open)
      snapshotShapesUnderWay -= shapes
    }
  }

  private func takeSnapshot(of open: OpenRoom) async {
    defer {
      open.isSnapshotting = false
      snapshotsUnderWay -= 1
    }
    open.room.forgetErasures(now: .now())
    let snapshot = open.room.image()
    let operations = open.room.operationCount
    let shapes = UInt64(open.room.canvas.liveCount)
    let digest = open.room.canvas.digest
    let made = await Hub.encode(snapshot, digest: digest, limits: limits, framing: framing)
    guard made.isTrue else {
      metrics.snapshotMismatches += 1
      logger.error("a snapshot is not what it was made of; it is not kept", ["room": .text(open.name)])
      return
    }
    let event = await ask {
      .snapshot(
        SnapshotRequest(
          id: $0,
          room: open.name,
          epoch: open.room.epoch,
          position: snapshot.position,
          shapes: shapes,
          bytes: made.bytes
        )
      )
    }
    guard case .snapshotted = event else {
      logger.warning("no snapshot", ["room": .text(open.name), "reason": .text(Hub.words(event))])
      // Not again at once: as though there had been one. The log has all of it anyway.
      open.snapshotPosition = snapshot.position
      open.snapshotOperations = operations
      return
    }
    open.snapshotPosition = snapshot.position
    open.snapshotOperations = operations
    metrics.snapshots += 1
  }

  /// Before the log is closed, so that the next start finds rooms that open fast; as many as there is time for.
  func snapshotBeforeStopping() {
    var shapesLeft = Hub.shapesBeforeStoppingMax
    var roomsLeft = Hub.roomsBeforeStoppingMax
    for open in rooms.values where open.isStored && !open.isSnapshotting && open.room.position > open.snapshotPosition {
      shapesLeft -= open.room.canvas.shapeCount
      roomsLeft -= 1
      guard shapesLeft >= 0, roomsLeft >= 0, fault == nil else { return }
      let image = open.room.image()
      requests.append(
        .snapshot(
          SnapshotRequest(
            id: nextRequest(),
            room: open.name,
            epoch: open.room.epoch,
            position: open.room.position,
            shapes: UInt64(open.room.canvas.liveCount),
            bytes: image.encoded()
          )
        )
      )
    }
  }

  /// About a second's worth of encoding, and about two of syncs.
  private static let shapesBeforeStoppingMax = 500_000
  private static let roomsBeforeStoppingMax = 500

  /// Made and read back, so that nothing is kept from which another room would come.
  @concurrent private static func encode(
    _ snapshot: RoomImage,
    digest: UInt64,
    limits: Limits,
    framing: Framing
  ) async -> (bytes: [UInt8], isTrue: Bool) {
    let bytes = snapshot.encoded()
    guard let back = try? RoomImage(bytes, seed: digest) else { return (bytes, false) }
    let room = Room(name: "", epoch: 0, limits: limits, framing: framing, seed: digest, image: back)
    return (bytes, room.canvas.digest == digest)
  }
}
