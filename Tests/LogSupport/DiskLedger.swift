import RoomLog

/// What the log has promised: acknowledged appends must be stored, and refused appends must not be stored, not even in
/// part. An append without an answer can be stored or not.
struct DiskLedger {
  struct Room {
    /// A number that differs between rooms that had the same name one after another.
    var life: UInt32
    /// The acknowledged records, ordered by position.
    var acknowledged: [LogRecord] = []
    /// Appends whose outcome is unknown, by their numbers.
    var undecided: [UInt32: [[UInt8]]] = [:]
    var mayBeGone = false
    /// The position of the newest acknowledged snapshot.
    var snapshotted: UInt64 = 0
    /// The positions of the snapshots and the records that the test has damaged.
    var damaged: Set<UInt64> = []
    var damagedRecords: Set<UInt64> = []
    var last: UInt64 { acknowledged.last?.position ?? 0 }
  }

  /// The rooms of acknowledged appends, by name.
  var rooms: [String: Room] = [:]
  /// For each name, rooms that may be stored in place of the acknowledged one, because the outcome of their creation is
  /// unknown.
  var undecided: [String: [Room]] = [:]
  /// What the finished backup must contain at least, by the name of the room. `nil` if no backup was made.
  private(set) var copied: [String: Room]?

  struct Failure: Error, CustomStringConvertible {
    var description: String
    init(_ words: String) { description = words }
  }

  // MARK: Records

  /// Makes a record whose bytes identify its room, its append, and its index in the append.
  static func record(life: UInt32, append: UInt32, index: UInt32, of count: UInt32, bytes: Int) -> [UInt8] {
    var record: [UInt8] = []
    for number in [life, append, index, count] {
      for shift in [24, 16, 8, 0] as [UInt32] { record.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }
    return record + repeatElement(UInt8(truncatingIfNeeded: append), count: bytes)
  }

  static func number(_ index: Int, of record: [UInt8]) -> UInt32 {
    record[index * 4..<index * 4 + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Makes a snapshot whose bytes identify its room and position. Every fifth one is so large that it is stored in two
  /// parts.
  static func snapshot(life: UInt32, position: UInt64) -> [UInt8] {
    let count = position % 5 == 0 ? 70_000 : 300
    var random = UInt64(life) << 32 ^ position
    return (0..<count).map { _ in
      random = random &* 0x5851_F42D_4C95_7F2D &+ 0x1405_7B7E_F767_814F
      return UInt8(truncatingIfNeeded: random >> 56)
    }
  }

  // MARK: Requests and answers

  mutating func submit(_ append: UInt32, _ records: [[UInt8]], to name: String, life: UInt32) {
    if rooms[name]?.life == life {
      rooms[name]?.undecided[append] = records
    } else {
      undecided[name, default: []].append(Room(life: life, undecided: [append: records]))
    }
  }

  /// Remembers that the append was refused, so it must not be stored.
  mutating func refuse(_ append: UInt32, in name: String) {
    rooms[name]?.undecided[append] = nil
    undecided[name]?.removeAll { $0.undecided[append] != nil }
  }

  mutating func acknowledge(_ appended: AppendedRecords) throws {
    guard let first = appended.records.first else { return }
    let life = DiskLedger.number(0, of: first.bytes)
    if rooms[appended.room]?.life != life {
      guard let room = undecided[appended.room]?.first(where: { $0.life == life }) else {
        throw Failure("room \(appended.room) has a record of another life")
      }
      rooms[appended.room] = room
    }
    for record in appended.records {
      let last = rooms[appended.room]?.last ?? 0
      guard record.position == last + 1 else { throw Failure("\(record.position) was told after \(last)") }
      let append = DiskLedger.number(1, of: record.bytes)
      let index = Int(DiskLedger.number(2, of: record.bytes))
      guard let records = rooms[appended.room]?.undecided[append], records[index] == record.bytes else {
        throw Failure("a record was told that was refused for good, or never asked for")
      }
      rooms[appended.room]?.acknowledged.append(record)
      if index == records.count - 1 { rooms[appended.room]?.undecided[append] = nil }
    }
    undecided[appended.room] = nil
  }

  mutating func delete(_ name: String) {
    rooms[name] = nil
  }

  mutating func repair(_ name: String, _ damage: LogError) {
    if case .damagedSnapshot(_, let position) = damage {
      rooms[name]?.damaged.remove(position)
      rooms[name]?.snapshotted = 0
    } else {
      rooms[name]?.damagedRecords = []
    }
  }

  /// Forgets the undecided appends. The log has reported all that are stored, so the others are not stored.
  mutating func decide() {
    undecided = [:]
    for name in rooms.keys {
      rooms[name]?.undecided = [:]
      rooms[name]?.mayBeGone = false
    }
  }

  mutating func noteCopy(of rooms: [String: Room]) { copied = rooms }

  // MARK: Checks

  /// Whether the test has damaged a snapshot or record at that position, in the log or in the backup.
  func mayBeDamaged(_ name: String, at position: UInt64) -> Bool {
    [rooms[name], copied?[name]].contains {
      guard let room = $0 else { return false }
      return room.damaged.contains(position) || room.damagedRecords.contains(position)
    }
  }

  /// The stored content of one room, as it was read.
  struct Found {
    var loaded: LoadedRoom
    /// The position just before the first readable record.
    var after: UInt64
    /// All records after the position `after`.
    var records: [LogRecord]
  }

  /// Compares a stored room with what must be stored of it.
  /// - Returns: the room as it is expected from now on.
  func check(_ name: String, _ stored: Found?) throws -> Room? {
    guard let stored else {
      if let room = rooms[name], !room.mayBeGone { throw Failure("room \(name) is gone") }
      return nil
    }
    let (loaded, records, after) = (stored.loaded, stored.records, stored.after)
    let summary = loaded.summary
    var candidates = undecided[name] ?? []
    if let room = rooms[name] {
      if !room.mayBeGone { candidates = [] }
      candidates.append(room)
    }
    let found = candidates.first { room in
      if let first = records.first { return DiskLedger.number(0, of: first.bytes) == room.life }
      return loaded.snapshot.map { $0.bytes == DiskLedger.snapshot(life: room.life, position: $0.place.position) }
        ?? false
    }
    guard var room = found else { throw Failure("room \(name) is one that nobody has made, or a former one") }
    guard records.map(\.position) == Array(after..<summary.last).map({ $0 + 1 }) else {
      throw Failure("room \(name) lacks records up to \(summary.last): it has \(records.map(\.position))")
    }
    guard summary.last >= room.last else {
      throw Failure("room \(name) ends at \(summary.last) in place of \(room.last)")
    }
    for record in room.acknowledged where record.position > after {
      guard records[Int(record.position - after) - 1] == record else {
        throw Failure("record \(record.position) of room \(name) is another")
      }
    }
    var rest = records.filter { $0.position > room.last }[...]
    while let first = rest.first {
      let append = DiskLedger.number(1, of: first.bytes)
      guard let whole = room.undecided.removeValue(forKey: append), rest.prefix(whole.count).map(\.bytes) == whole
      else {
        throw Failure("room \(name) has a part of a refused append, or what nobody has appended, at \(first.position)")
      }
      room.acknowledged += rest.prefix(whole.count)
      rest = rest.dropFirst(whole.count)
    }
    try check(loaded, of: room)
    room.undecided = [:]
    room.mayBeGone = false
    return room
  }

  private func check(_ loaded: LoadedRoom, of room: Room) throws {
    let name = loaded.summary.room
    if let snapshot = loaded.snapshot {
      guard snapshot.bytes == DiskLedger.snapshot(life: room.life, position: snapshot.place.position) else {
        throw Failure("the snapshot of room \(name) is another")
      }
    }
    let start = loaded.snapshot?.place.position ?? 0
    guard start >= loaded.summary.trimmed else { throw Failure("room \(name) lacks what a snapshot should have") }
    guard start >= room.snapshotted || !room.damaged.isEmpty else {
      throw Failure("the snapshot of room \(name) at \(room.snapshotted) is gone")
    }
  }
}
