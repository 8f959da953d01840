import CanvasCRDT
import RoomLog

/// The content of a record in the log. It is written in the oldest format (`RecordForm`) that can hold it.
struct StoredOperations {
  /// The number of the server process that writes the record. `nil` if the log surely has that number already.
  let run: UInt64?
  /// 0, or a time in Unix milliseconds: from this record on, deletions from before this time are forgotten.
  let forgottenBefore: UInt64
  let operations: [Operation]

  init(run: UInt64?, forgottenBefore: UInt64 = 0, operations: [Operation]) {
    self.run = run
    self.forgottenBefore = forgottenBefore
    self.operations = operations
  }

  func encoded() -> [UInt8] {
    var form = [RecordForm.plain.rawValue]
    if forgottenBefore > 0 {
      form = [RecordForm.forgetting.rawValue]
      // A missing number is written as 0. That is unambiguous, because no run has the number 0, and no time is 0.
      for number in [run ?? 0, forgottenBefore] { withUnsafeBytes(of: number.littleEndian) { form += $0 } }
    } else if let run {
      form = [RecordForm.withRun.rawValue]
      withUnsafeBytes(of: run.littleEndian) { form += $0 }
    }
    return form + BinaryEncoding.encode(.operations(Delivery(cursor: Cursor(""), operations: operations)))
  }

  /// - Returns: `nil` if a newer server wrote the bytes, or if they are not a record.
  init?(_ bytes: [UInt8]) {
    let start: Int
    func number(at place: Int) -> UInt64 { bytes[place..<place + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) } }
    switch bytes.first.flatMap(RecordForm.init) {
    case .plain:
      run = nil
      forgottenBefore = 0
      start = 1
    case .withRun where bytes.count >= 9:
      run = number(at: 1)
      forgottenBefore = 0
      start = 9
    case .forgetting where bytes.count >= 17:
      run = number(at: 1) == 0 ? nil : number(at: 1)
      forgottenBefore = number(at: 9)
      start = 17
    default: return nil
    }
    guard case .operations(let delivery)? = try? BinaryEncoding.decodeServerMessage(Array(bytes.dropFirst(start))),
      case .operations(let operations) = delivery.content
    else { return nil }
    self.operations = operations
  }
}

extension RoomRecord {
  init(_ record: LogRecord, _ stored: StoredOperations, batch: UInt64? = nil, endsBatch: Bool = true) {
    self.init(
      position: record.position,
      milliseconds: record.milliseconds,
      batch: batch,
      endsBatch: endsBatch,
      run: stored.run,
      forgottenBefore: stored.forgottenBefore,
      operations: stored.operations
    )
  }
}
