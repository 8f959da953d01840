import CanvasCRDT

/// A record that the log hands back, which means that it is durable. Records come in the order of their positions,
/// without gaps.
struct RoomRecord: Sendable {
  let position: UInt64
  /// When the log stored the record, in Unix milliseconds. History is read by this time.
  let milliseconds: UInt64
  /// The batch that the record belongs to. `nil` if another node wrote the record, or this node did so before a
  /// restart.
  let batch: UInt64?
  /// Whether this is the batch's last record.
  let endsBatch: Bool
  /// The number of the run that wrote the record, if the record carries it.
  let run: UInt64?
  /// If this is not 0, deletions from before this time, in Unix milliseconds, are forgotten from this record on.
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

  /// Whether this is the next record after a place. `false` if it lies at or before the place. Throws if records
  /// between them are missing.
  func isNext(after place: UInt64) throws(MissingRecord) -> Bool {
    guard position > place else { return false }
    guard position == place + 1 else { throw MissingRecord(position: place + 1) }
    return true
  }
}

/// A record of the log is missing. Folding stops before it, because the canvas would lack its operations.
struct MissingRecord: Error, Hashable, Sendable {
  let position: UInt64
}
