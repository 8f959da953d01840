import CanvasCRDT

/// What the log hands back: durable, in the order of positions, which grow but may have gaps.
struct RoomRecord: Sendable {
  let position: UInt64
  /// When it was taken in, Unix milliseconds: for reading history by time.
  let milliseconds: UInt64
  /// Which of this process's batches it was; nothing for another node's, or one from before a restart.
  let batch: UInt64?
  let operations: [Operation]

  init(position: UInt64, milliseconds: UInt64, batch: UInt64? = nil, operations: [Operation]) {
    self.position = position
    self.milliseconds = milliseconds
    self.batch = batch
    self.operations = operations
  }
}
