/// The statements that list one room's complete snapshots.
///
/// A damaged page of their table hides the snapshots of the rooms that have rows on it. So a room's list is read from
/// both ends, each up to the damage. The rooms that have no row there are not affected.
final class SnapshotList {
  private let upwards: Statement
  private let downwards: Statement

  init(_ database: Database) throws(SQLiteFailure) {
    let rows = "SELECT \(StoredRows.snapshotColumns) FROM snapshots WHERE room=?1 AND complete=1 ORDER BY position"
    upwards = try database.statement(rows)
    downwards = try database.statement("\(rows) DESC")
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
