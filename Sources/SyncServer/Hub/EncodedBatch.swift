import CanvasCRDT
import RoomLog

/// A batch of operations, encoded as log records. A large batch is split into several records, so that each can be read
/// by itself. The log stores all of them or none.
struct EncodedBatch: Sendable {
  let number: UInt64
  let payer: Payer?
  /// The decoded operations of each record. Keeping them saves decoding the records that the log hands back.
  let parts: [StoredOperations]
  let records: [NewRecord]
  /// The timeline (an unbroken history of the database) on which the number of this server process is valid.
  let timeline: UInt64

  /// - Parameter run: the number of this server process, which the records carry. `nil` if the room's log already has a
  ///   record with that number.
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

  /// The estimated disk space of the records: their bytes, and 64 bytes a record for what the database adds.
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
