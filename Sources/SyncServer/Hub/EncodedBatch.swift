import CanvasCRDT
import RoomLog

/// A batch in the form that the log takes. A layout may be as long as a hundred messages, so it is split into records
/// that can be read one by one. The log stores all of them or none.
struct EncodedBatch: Sendable {
  let number: UInt64
  let payer: Payer?
  /// The operations of each record. They are kept because the log hands the records back, which would otherwise have to
  /// be decoded.
  let parts: [StoredOperations]
  let records: [NewRecord]
  /// The timeline of the log for which `run` is valid.
  let timeline: UInt64

  /// - Parameter run: the number of this run, if these may be the run's first records in the room. `nil` if the room's
  ///   log
  ///   has the number already.
  init(_ batch: Batch, run: UInt64?, timeline: UInt64, _ limits: Limits) {
    number = batch.number
    self.timeline = timeline
    payer = batch.payer
    parts = batch.parts(operationsMax: Int(limits.operationsPerMessage)).map {
      StoredOperations(run: run, forgottenBefore: batch.forgottenBefore, operations: $0)
    }
    records = parts.map { NewRecord(bytes: $0.encoded(), operations: UInt32(clamping: $0.operations.count)) }
  }

  var operationCount: Int { parts.reduce(0) { $0 + $1.operations.count } }

  /// The disk space that the records take: their bytes, their rows, and a share of the database's pages.
  var storedBytes: Int { records.reduce(0) { $0 + $1.bytes.count + 64 } }
}

extension Batch {
  func parts(operationsMax: Int) -> [[Operation]] {
    guard operations.count > operationsMax else { return [operations] }
    return stride(from: 0, to: operations.count, by: operationsMax).map {
      Array(operations[$0..<min($0 + operationsMax, operations.count)])
    }
  }
}
