import CanvasCRDT

/// Operations that a room wants stored in its log, all of them or none.
struct Batch: Sendable {
  /// A number that no other batch of this room has in this process. The log's answer carries it.
  let number: UInt64
  let operations: [Operation]
  let payer: Payer?
  /// 0, or a time in Unix milliseconds: when a node applies this record, it forgets deletions from before this time.
  var forgottenBefore: UInt64 = 0
}
