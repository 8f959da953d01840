/// The rooms and records of a `MemoryLog`, in memory.
struct MemoryStore: Sendable {
  struct StoredRoom: Sendable {
    var entry: RoomEntry
    var records: [LogRecord] = []
    /// For each record, how many operations the room has up to and including it.
    var operations: [UInt64] = []
    var snapshots: [UInt64: RoomSnapshot] = [:]
  }

  var rooms: [String: StoredRoom] = [:]
  private var lastNumber: Int64 = 0

  mutating func append(_ request: AppendRequest) throws(LogError) -> AppendedRecords {
    try RoomEntry.check(name: request.room)
    try RoomEntry.check(request.records)
    var room = try room(for: request)
    var placed: [LogRecord] = []
    placed.reserveCapacity(request.records.count)
    for record in request.records {
      placed.append(room.entry.place(record, milliseconds: request.milliseconds))
      room.operations.append(room.entry.operations)
    }
    room.records += placed
    rooms[request.room] = room
    return AppendedRecords(id: request.id, room: request.room, epoch: room.entry.epoch, records: placed)
  }

  /// Removes the room from the dictionary while it is changed. Otherwise Swift would copy all its records.
  private mutating func room(for request: AppendRequest) throws(LogError) -> StoredRoom {
    if let room = rooms[request.room] {
      if !request.mayCreate { try room.entry.check(epoch: request.epoch) }
      rooms[request.room] = nil
      return room
    }
    guard request.mayCreate else { throw .noSuchRoom(room: request.room) }
    lastNumber += 1
    return StoredRoom(
      entry: RoomEntry(
        name: request.room,
        number: lastNumber,
        epoch: request.epoch,
        milliseconds: request.milliseconds
      )
    )
  }

  func room(_ name: String, epoch: UInt64? = nil) throws(LogError) -> StoredRoom {
    guard let room = rooms[name] else { throw .noSuchRoom(room: name) }
    try room.entry.check(epoch: epoch)
    return room
  }

  mutating func create(_ request: CreateRequest) throws(LogError) {
    try RoomEntry.check(name: request.room)
    guard rooms[request.room] == nil else { throw .roomExists(room: request.room) }
    lastNumber += 1
    rooms[request.room] = StoredRoom(entry: RoomEntry(request, number: lastNumber))
  }

  /// The records that a new follower has not read yet. `nil` if there are none.
  func records(for request: FollowRequest) throws(LogError) -> AppendedRecords? {
    guard rooms[request.room] != nil || request.epoch != nil else { return nil }
    let room = try room(request.room, epoch: request.epoch)
    guard request.after >= room.entry.trimmed else { throw .trimmed(room: request.room, through: room.entry.trimmed) }
    let missed = Array(room.records[room.index(after: request.after)...])
    guard !missed.isEmpty else { return nil }
    return AppendedRecords(id: nil, room: request.room, epoch: room.entry.epoch, records: missed)
  }

  func read(_ request: ReadRequest) throws(LogError) -> RecordPage {
    let room = try room(request.room, epoch: request.epoch)
    let entry = room.entry
    try entry.check(position: request.after)
    var page = RecordPage(
      room: entry.name,
      epoch: entry.epoch,
      records: [],
      through: request.after,
      isLast: true
    )
    var bytes = 0
    for record in room.records[room.index(after: request.after)...] where request.through.includes(record) {
      guard bytes < max(request.bytesMax, 1) else {
        page.isLast = false
        break
      }
      bytes += record.bytes.count
      page.records.append(record)
      page.through = record.position
    }
    return page
  }

  func load(_ request: LoadRequest) throws(LogError) -> LoadedRoom {
    let room = try room(request.room)
    guard request.wantsSnapshot else {
      return LoadedRoom(summary: room.entry.summary(), snapshot: nil, base: room.entry.base)
    }
    let place = room.entry.snapshot(through: request.through)
    if place == nil, room.entry.trimmed > 0 {
      throw .trimmed(room: request.room, through: room.entry.trimmed)
    }
    return LoadedRoom(
      summary: room.entry.summary(),
      snapshot: place.flatMap { room.snapshots[$0.position] }
    )
  }

  mutating func store(_ request: SnapshotRequest, retention: Retention) throws(LogError) {
    var room = try room(request.room, epoch: request.epoch)
    try room.entry.check(position: request.position)
    let next = room.index(after: request.position)
    let last = next > 0 ? (room.records[next - 1].milliseconds, room.operations[next - 1]) : nil
    let place = SnapshotPlace(of: request, last: last, earlier: room.snapshots[request.position]?.place)
    room.entry.insert(place)
    room.snapshots[request.position] = RoomSnapshot(place: place, bytes: request.bytes)
    room.drop(room.entry.needlessSnapshots(by: retention))
    rooms[request.room] = room
  }

  /// Trims the room.
  /// - Returns: the position of the last record that was dropped.
  mutating func trim(_ name: String, to place: SnapshotPlace?, retention: Retention) -> UInt64 {
    guard var room = rooms[name] else { return 0 }
    if let place, place.position > room.entry.trimmed {
      room.entry.trimmed = place.position
      let kept = room.index(after: place.position)
      room.records.removeFirst(kept)
      room.operations.removeFirst(kept)
      room.drop(room.entry.needlessSnapshots(by: retention))
      rooms[name] = room
    }
    return room.entry.trimmed
  }

  mutating func delete(_ name: String) throws(LogError) -> UInt64 {
    guard let room = rooms.removeValue(forKey: name) else { throw .noSuchRoom(room: name) }
    return room.entry.epoch
  }
}

extension MemoryStore.StoredRoom {
  /// The index of the first record after `position`. It is found by binary search.
  func index(after position: UInt64) -> Int {
    var low = 0
    var high = records.count
    while low < high {
      let middle = (low + high) / 2
      if records[middle].position <= position { low = middle + 1 } else { high = middle }
    }
    return low
  }

  mutating func drop(_ places: [SnapshotPlace]) {
    for place in places {
      snapshots[place.position] = nil
      entry.snapshots.removeAll { $0.position == place.position }
    }
  }
}

extension LogBound {
  func includes(_ record: LogRecord) -> Bool {
    switch self {
    case .end: true
    case .position(let position): record.position <= position
    case .milliseconds(let milliseconds): record.milliseconds <= milliseconds
    }
  }
}
