import CanvasCRDT

/// Operations that a room wants in its log, whole or not at all.
struct Batch: Sendable {
  /// A number that no other batch of this room in this process has, by which the log answers.
  let number: UInt64
  let operations: [Operation]
}

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

/// How a message becomes bytes on a connection. Handed in, so that rooms know of no sockets.
struct Framing: Sendable {
  /// Appends the frames of one message; those of several may stand in one buffer.
  let append: @Sendable (_ message: [UInt8], _ encoding: WireEncoding, _ bytes: inout [UInt8]) -> Void
}
