import CanvasCRDT

/// Operations that a room wants stored in its log, all of them or none.
struct Batch: Sendable {
  /// A number that no other batch of this room in this process has. The log answers by it.
  let number: UInt64
  let operations: [Operation]
  let payer: Payer?
  /// If this is not 0, deletions from before this are forgotten from here on, in Unix milliseconds.
  var forgottenBefore: UInt64 = 0
}
