import Basics
import CSQLite

/// The statements of the reading connection. Each answer is read in one transaction, so it shows one moment.
final class ReaderStatements {
  let database: Database
  let begin: Statement
  let records: Statement
  private let commit: Statement
  private let room: Statement
  private let numberedRoom: Statement
  private let number: Statement
  private let hasRecord: Statement
  private let nextRoom: Statement
  private let rooms: Statement
  private let snapshots: SnapshotList
  private let nextSnapshot: Statement
  private let newestSnapshots: Statement
  private let snapshot: Statement
  /// The parts of a snapshot after a given part.
  let parts: Statement

  init(_ database: Database) throws(SQLiteFailure) {
    self.database = database
    begin = try database.statement("BEGIN")
    commit = try database.statement("COMMIT")
    room = try database.statement("SELECT \(StoredRows.roomColumns) FROM rooms WHERE name=?1")
    numberedRoom = try database.statement("SELECT \(StoredRows.roomColumns) FROM rooms WHERE number=?1")
    number = try database.statement("SELECT number FROM rooms WHERE name=?1")
    hasRecord = try database.statement("SELECT 1 FROM records WHERE room=?1 AND position>?2 LIMIT 1")
    nextRoom = try database.statement(
      "SELECT \(StoredRows.roomColumns) FROM rooms WHERE number>?1 AND number<=?2 ORDER BY number LIMIT 1"
    )
    rooms = try database.statement("SELECT \(StoredRows.roomColumns) FROM rooms ORDER BY name")
    records = try database.statement(
      "SELECT \(StoredRows.recordColumns) FROM records WHERE room=?1 AND position>?2 ORDER BY position"
    )
    snapshots = try SnapshotList(database)
    nextSnapshot = try database.statement(
      "SELECT \(StoredRows.snapshotColumns) FROM snapshots WHERE room=?1 AND position>?2 AND complete=1"
        + " ORDER BY position LIMIT 1"
    )
    newestSnapshots = try database.statement(
      "SELECT \(StoredRows.snapshotColumns) FROM snapshots WHERE complete=1 ORDER BY room, position"
    )
    snapshot = try database.statement(
      "SELECT \(StoredRows.snapshotColumns) FROM snapshots WHERE room=?1 AND position=?2 AND complete=1"
    )
    parts = try database.statement(
      "SELECT part, bytes FROM snapshot_parts WHERE room=?1 AND position=?2 AND part>?3 ORDER BY part"
    )
  }

  func end() {
    do { try commit.run() } catch { database.rollBack() }
  }

  func entry(_ name: String) throws(SQLiteFailure) -> (entry: RoomEntry, isSound: Bool)? {
    room.bind(1, name)
    return try entry(from: room)
  }

  func entry(numbered number: Int64) throws(SQLiteFailure) -> (entry: RoomEntry, isSound: Bool)? {
    numberedRoom.bind(1, number)
    return try entry(from: numberedRoom)
  }

  /// The first room with a number above `number` and at most `last`.
  func entry(after number: Int64, through last: Int64) throws(SQLiteFailure) -> (entry: RoomEntry, isSound: Bool)? {
    nextRoom.bind(1, number)
    nextRoom.bind(2, last)
    let found = try entry(from: nextRoom)
    // Otherwise rooms with damaged numbers could be found again and again.
    if let found, found.entry.number <= number {
      throw SQLiteFailure(code: SQLITE_CORRUPT, systemError: 0, message: "rooms out of order")
    }
    return found
  }

  /// A room's number in the index of names. `nil` if it isn't there.
  func number(of name: String) throws(SQLiteFailure) -> Int64? {
    defer { number.reset() }
    number.bind(1, name)
    do throws(SQLiteFailure) {
      return try number.step() ? number.integer(0) : nil
    } catch {
      guard error.isDamage else { throw error }
      return nil
    }
  }

  /// The first room with a number above `number` and at most `last` whose row can be read. Also the search for it, which
  /// knows what was passed over.
  func readableEntry(
    after number: Int64,
    through last: Int64
  ) throws(SQLiteFailure) -> (found: (entry: RoomEntry, isSound: Bool)?, search: UnreadableRooms) {
    var search = UnreadableRooms(after: number)
    while true {
      do throws(SQLiteFailure) {
        let found = try entry(after: search.next, through: last)
        if search.isReadable() { return (found, search) }
      } catch {
        guard error.isDamage else { throw error }
        guard search.isUnreadable() else { return (nil, search) }
      }
    }
  }

  func lastRoom() throws(SQLiteFailure) -> Int64 { try database.number("SELECT max(number) FROM rooms") }

  private func entry(from room: Statement) throws(SQLiteFailure) -> (entry: RoomEntry, isSound: Bool)? {
    defer { room.reset() }
    guard try room.step() else { return nil }
    var (entry, isSound) = StoredRows.room(room)
    try snapshots.add(to: &entry)
    if isSound { isSound = try !isOld(entry) }
    return (entry, isSound)
  }

  /// Whether there is a record or a snapshot behind the record that is the last by the room's entry. Then the disk has
  /// lost a newer entry, with an acknowledged write.
  private func isOld(_ entry: RoomEntry) throws(SQLiteFailure) -> Bool {
    if let newest = entry.snapshots.last, newest.position > entry.last { return true }
    defer { hasRecord.reset() }
    hasRecord.bind(1, entry.number)
    hasRecord.bind(2, entry.last)
    do throws(SQLiteFailure) {
      return try hasRecord.step()
    } catch {
      guard error.isDamage else { throw error }
      return false
    }
  }

  func summaries(_ shared: SharedFigures) throws(SQLiteFailure) -> [RoomSummary] {
    defer { newestSnapshots.reset() }
    let newest = try newestPlaces()
    var summaries: [RoomSummary] = []
    for (var entry, isSound) in try StoredRows.rooms(by: rooms, in: database) {
      if let newest {
        if let place = newest[entry.number] { entry.snapshots = [place] }
      } else {
        try snapshots.add(to: &entry)
      }
      let damage = isSound ? shared.refusal(room: entry.number) : .damaged(room: entry.name, position: 0)
      summaries.append(entry.summary(damage: damage))
    }
    return summaries
  }

  /// The newest snapshot of each room, by the room's number. `nil` if the table is damaged.
  private func newestPlaces() throws(SQLiteFailure) -> [Int64: SnapshotPlace]? {
    var newest: [Int64: SnapshotPlace] = [:]
    do throws(SQLiteFailure) {
      while try newestSnapshots.step() {
        if let stored = StoredRows.snapshot(newestSnapshots) { newest[stored.room] = stored.place }
      }
    } catch {
      guard error.isDamage else { throw error }
      return nil
    }
    return newest
  }

  enum FoundSnapshot {
    case sound(StoredRows.SnapshotRow)
    /// The snapshot's row is damaged. The position is 0 if the row is on a page that can't be read.
    case damaged(position: UInt64)
  }

  /// The first complete snapshot of a room after a position.
  func snapshot(room: Int64, after position: UInt64) throws(SQLiteFailure) -> FoundSnapshot? {
    defer { nextSnapshot.reset() }
    nextSnapshot.bind(1, room)
    nextSnapshot.bind(2, position)
    do throws(SQLiteFailure) {
      guard try nextSnapshot.step() else { return nil }
    } catch {
      guard error.isDamage else { throw error }
      return .damaged(position: 0)
    }
    let row = StoredRows.snapshot(nextSnapshot)
    return row.map { .sound($0) } ?? .damaged(position: nextSnapshot.unsigned(1))
  }

  func content(room: Int64, place: SnapshotPlace) throws(SQLiteFailure) -> [UInt8]? {
    defer {
      snapshot.reset()
      parts.reset()
    }
    snapshot.bind(1, room)
    snapshot.bind(2, place.position)
    guard try snapshot.step(), let stored = StoredRows.snapshot(snapshot) else { return nil }
    parts.bind(1, room)
    parts.bind(2, place.position)
    parts.bind(3, Int64(-1))
    var bytes: [UInt8] = []
    // Memory is allocated part by part, and not at once for the row's length, because a damaged row could have any
    // length.
    while bytes.count <= place.byteCount, try parts.step() { bytes += parts.bytes(1) }
    guard bytes.count == place.byteCount, Checksum(of: bytes).value == stored.content else { return nil }
    return bytes
  }
}
