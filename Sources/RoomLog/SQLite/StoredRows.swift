import Basics

/// Reads rows of the database, and computes the checksum that each row has. A wrong checksum means that the row is
/// damaged.
enum StoredRows {
  static func checksum(of entry: RoomEntry) -> UInt64 {
    var sum = Checksum()
    sum.add(UInt64(bitPattern: entry.number))
    sum.add(entry.name)
    sum.add(entry.epoch)
    sum.add(entry.last)
    sum.add(entry.trimmed)
    sum.add(entry.operations)
    sum.add(entry.createdMilliseconds)
    sum.add(entry.changedMilliseconds)
    return sum.value
  }

  /// - Parameter operations: how many operations the room has up to and including this record.
  static func checksum(of record: LogRecord, room: Int64, operations: UInt64) -> UInt64 {
    var sum = Checksum()
    sum.add(UInt64(bitPattern: room))
    sum.add(record.position)
    sum.add(record.milliseconds)
    sum.add(operations)
    sum.add(record.bytes)
    return sum.value
  }

  /// - Parameter content: the checksum of the snapshot's bytes.
  static func checksum(of place: SnapshotPlace, room: Int64, content: UInt64) -> UInt64 {
    var sum = Checksum()
    sum.add(UInt64(bitPattern: room))
    sum.add(place.position)
    sum.add(place.milliseconds)
    sum.add(place.operations)
    sum.add(place.shapes)
    sum.add(UInt64(place.byteCount))
    sum.add(content)
    return sum.value
  }

  // MARK: Reading

  static let roomColumns = "number, name, epoch, last, trimmed, operations, created, changed, checksum"

  /// Reads a room's row. `isSound` is false if the checksum is wrong.
  static func room(_ row: Statement) -> (entry: RoomEntry, isSound: Bool) {
    var entry = RoomEntry(
      name: row.text(1),
      number: row.integer(0),
      epoch: row.unsigned(2),
      milliseconds: row.unsigned(6)
    )
    entry.last = row.unsigned(3)
    entry.trimmed = row.unsigned(4)
    entry.operations = row.unsigned(5)
    entry.changedMilliseconds = row.unsigned(7)
    return (entry, checksum(of: entry) == row.unsigned(8))
  }

  /// The rows of all rooms.
  ///
  /// Nothing in a row with a wrong checksum is believed. Which room it belongs to is known from the index of names. The
  /// entry of such a room has a name and a number, and nothing else.
  /// - Parameter query: asks for the rows. If a page is damaged, each row is read alone.
  static func rooms(
    by query: Statement,
    in database: Database
  ) throws(SQLiteFailure) -> [(entry: RoomEntry, isSound: Bool)] {
    defer { query.reset() }
    var rooms: [(entry: RoomEntry, isSound: Bool)] = []
    do throws(SQLiteFailure) {
      while try query.step() { rooms.append(room(query)) }
      if rooms.allSatisfy(\.isSound) { return rooms }
    } catch {
      guard error.isDamage else { throw error }
      rooms = try roomsOneByOne(in: database)
    }
    return try withoutUnsound(rooms, in: database)
  }

  private static func roomsOneByOne(
    in database: Database
  ) throws(SQLiteFailure) -> [(entry: RoomEntry, isSound: Bool)] {
    let names = try database.statement("SELECT number FROM rooms ORDER BY name")
    let row = try database.statement("SELECT \(roomColumns) FROM rooms WHERE number=?1")
    var rooms: [(entry: RoomEntry, isSound: Bool)] = []
    while try names.step() {
      defer { row.reset() }
      row.bind(1, names.integer(0))
      do throws(SQLiteFailure) {
        if try row.step() { rooms.append(room(row)) }
      } catch {
        guard error.isDamage else { throw error }
      }
    }
    return rooms
  }

  /// Replaces the entries of rows with a wrong checksum, and adds those of rows that couldn't be read. A damaged row can
  /// have the number or the name of another room, whose own row is sound. If a search for that number finds the damaged
  /// row, that room can't be used either.
  private static func withoutUnsound(
    _ rows: [(entry: RoomEntry, isSound: Bool)],
    in database: Database
  ) throws(SQLiteFailure) -> [(entry: RoomEntry, isSound: Bool)] {
    var rooms = rows.filter(\.isSound)
    var numbers = Set(rooms.map(\.entry.number))
    var names = Set(rooms.map(\.entry.name))
    func add(_ number: Int64, _ name: String) {
      guard !numbers.contains(number), names.insert(name).inserted else { return }
      numbers.insert(number)
      rooms.append((RoomEntry(name: name, number: number, epoch: 0, milliseconds: 0), false))
    }
    let index = try database.statement("SELECT number, name FROM rooms ORDER BY name")
    do throws(SQLiteFailure) {
      while try index.step() { add(index.integer(0), index.text(1)) }
    } catch {
      guard error.isDamage else { throw error }
    }
    for row in rows where !row.isSound { add(row.entry.number, row.entry.name) }
    return rooms.sorted { $0.entry.name < $1.entry.name }
  }

  static let recordColumns = "position, milliseconds, operations, checksum, bytes"

  /// Reads a record's row. `nil` if the checksum is wrong.
  static func record(_ row: Statement, room: Int64) -> (record: LogRecord, operations: UInt64)? {
    let record = LogRecord(position: row.unsigned(0), milliseconds: row.unsigned(1), bytes: row.bytes(4))
    let operations = row.unsigned(2)
    guard checksum(of: record, room: room, operations: operations) == row.unsigned(3) else { return nil }
    return (record, operations)
  }

  static let snapshotColumns = "room, position, milliseconds, operations, shapes, length, content, checksum"

  struct SnapshotRow {
    var room: Int64
    var place: SnapshotPlace
    var content: UInt64
  }

  /// Reads a snapshot's row. `nil` if the checksum is wrong.
  static func snapshot(_ row: Statement) -> SnapshotRow? {
    let length = row.integer(5)
    guard length >= 0 else { return nil }
    let snapshot = SnapshotRow(
      room: row.integer(0),
      place: SnapshotPlace(
        position: row.unsigned(1),
        milliseconds: row.unsigned(2),
        operations: row.unsigned(3),
        shapes: row.unsigned(4),
        byteCount: Int(length)
      ),
      content: row.unsigned(6)
    )
    let sum = checksum(of: snapshot.place, room: snapshot.room, content: snapshot.content)
    return sum == row.unsigned(7) ? snapshot : nil
  }
}
