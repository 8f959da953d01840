import CanvasCRDT

/// Operations that a room wants stored in its log, all of them or none.
struct Batch: Sendable {
  /// A number that no other batch of this room in this process has. The log answers by it.
  let number: UInt64
  let operations: [Operation]
  let payer: Payer?
}
