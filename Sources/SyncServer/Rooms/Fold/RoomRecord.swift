import CanvasCRDT

/// A record that the log has stored. Records come in the order of their positions, without gaps.
struct RoomRecord: Sendable {
  let position: UInt64
  /// When the log stored the record, in Unix milliseconds. History is read by this time.
  let milliseconds: UInt64
  /// The batch that the record belongs to. `nil` if another node wrote the record, or this node wrote it before a
  /// restart.
  let batch: UInt64?
  let endsBatch: Bool
  /// The number of the server process that wrote the record, if the record carries it.
  let run: UInt64?
  /// 0, or a time in Unix milliseconds: from this record on, deletions from before this time are forgotten.
  let forgottenBefore: UInt64
  let operations: [Operation]

  init(
    position: UInt64,
    milliseconds: UInt64,
    batch: UInt64? = nil,
    endsBatch: Bool = true,
    run: UInt64? = nil,
    forgottenBefore: UInt64 = 0,
    operations: [Operation]
  ) {
    self.position = position
    self.milliseconds = milliseconds
    self.batch = batch
    self.endsBatch = endsBatch
    self.run = run
    self.forgottenBefore = forgottenBefore
    self.operations = operations
  }

  /// Whether this is the record that follows a log position. `false` if the record lies at or before the position.
  /// Throws if records between the two are missing.
  func isNext(after place: UInt64) throws(MissingRecord) -> Bool {
    guard position > place else { return false }
    guard position == place + 1 else { throw MissingRecord(position: place + 1) }
    return true
  }
}

/// A record of the log is missing. No later record is applied, because the canvas would lack the missing operations.
struct MissingRecord: Error, Hashable, Sendable {
  let position: UInt64
}
