import CanvasCRDT

/// A room as it was: an earlier prefix of its log.
struct RoomHistory: Sendable {
  enum End: Hashable, Sendable {
    case position(UInt64)
    /// Unix milliseconds, and a position. The log may already have more than the room, whose cursors name no place past
    /// its own.
    case time(UInt64, upTo: UInt64)
  }

  let end: End
  private(set) var canvas: Canvas
  private(set) var position: UInt64 = 0
  private(set) var runs: RoomRuns

  /// - Parameter image: a snapshot from before the end; without one, the log is read from its beginning.
  init(end: End, image: RoomImage?, seed: UInt64) {
    self.end = end
    canvas = image?.canvas ?? Canvas(seed: seed)
    position = image?.position ?? 0
    runs = image?.runs ?? RoomRuns()
  }

  /// Takes in the next record.
  /// - Returns: false where the record is past the end; then all later ones are too.
  mutating func fold(_ record: borrowing RoomRecord) -> Bool {
    switch end {
    case .position(let last): guard record.position <= last else { return false }
    case .time(let last, let end): guard record.milliseconds <= last, record.position <= end else { return false }
    }
    guard record.position > position else { return true }
    position = record.position
    if let run = record.run { runs.note(run, at: position) }
    for operation in record.operations { canvas.apply(operation, place: position) }
    return true
  }
}
