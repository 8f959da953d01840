/// The statements that list complete snapshots: those of all rooms, or of one.
///
/// A damaged page of their table hides the snapshots of the rooms that have rows on it. So a room's list is read from
/// both ends, each up to the damage. The rooms that have no row there are not affected.
final class SnapshotList {
  private let whole: Statement
  private let upwards: Statement
  private let downwards: Statement

  init(_ database: Database) throws(SQLiteFailure) {
    whole = try database.statement(
      "SELECT \(StoredRows.snapshotColumns) FROM snapshots WHERE complete=1 ORDER BY room, position"
    )
    let rows = "SELECT \(StoredRows.snapshotColumns) FROM snapshots WHERE room=?1 AND complete=1 ORDER BY position"
    upwards = try database.statement(rows)
    downwards = try database.statement("\(rows) DESC")
  }

  /// The snapshots of all rooms, by the rooms' numbers. `nil` if the table is damaged.
  func all() throws(SQLiteFailure) -> [Int64: [SnapshotPlace]]? {
    defer { whole.reset() }
    var places: [Int64: [SnapshotPlace]] = [:]
    do throws(SQLiteFailure) {
      while try whole.step() {
        if let stored = StoredRows.snapshot(whole) { places[stored.room, default: []].append(stored.place) }
      }
    } catch {
      guard error.isDamage else { throw error }
      return nil
    }
    return places
  }

  /// Adds a room's snapshots to its entry, as far as they can be read.
  func add(to entry: inout RoomEntry) throws(SQLiteFailure) {
    for row in [upwards, downwards] {
      defer { row.reset() }
      row.bind(1, entry.number)
      do throws(SQLiteFailure) {
        while try row.step() {
          if let stored = StoredRows.snapshot(row) { entry.insert(stored.place) }
        }
        return
      } catch {
        guard error.isDamage else { throw error }
        entry.lacksSnapshots = true
      }
    }
  }
}
