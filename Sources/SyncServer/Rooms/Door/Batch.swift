import CanvasCRDT

/// Operations that a room wants in its log, whole or not at all.
struct Batch: Sendable {
  /// A number that no other batch of this room in this process has, by which the log answers.
  let number: UInt64
  let operations: [Operation]
}
