import CanvasCRDT

/// Makes a room's cursors from positions in its log, and reads them back.
struct RoomPlaces: Hashable, Sendable {
  /// Distinguishes the room from earlier and later rooms of the same name: a room gets a new epoch when it is created
  /// again or restored from a backup.
  let epoch: UInt64
  private(set) var runs: RoomRuns

  init(epoch: UInt64, runs: RoomRuns = RoomRuns()) {
    self.epoch = epoch
    self.runs = runs
  }

  func cursor(at position: UInt64) -> Cursor {
    RoomCursor(epoch: epoch, run: runs.number(at: position) ?? RoomRuns.none, position: position).cursor
  }

  /// The position of a cursor in a log that ends with `last`. `nil` if the cursor might come from another log, whose
  /// records up to that position differ from this log's.
  func position(of cursor: RoomCursor, upTo last: UInt64) -> UInt64? {
    guard cursor.position <= last, let run = runs.number(at: cursor.position), cursor.isOf(epoch: epoch, run: run)
    else {
      return nil
    }
    return cursor.position
  }

  /// - Parameter position: the position just before the record that carries the run's number.
  mutating func note(run: UInt64, after position: UInt64) { runs.note(run, after: position) }
}
