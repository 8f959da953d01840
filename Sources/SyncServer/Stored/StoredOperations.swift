import CanvasCRDT
import RoomLog

/// The content of a record in the log.
///
/// As bytes: one byte, which is one more than how many numbers follow; these numbers, `run` and then `forgottenBefore`,
/// each in eight bytes, the lowest first; and the operations in the binary encoding. A missing run is written as 0,
/// which no run has as its number. Zeros at the end are left out. A greater first byte means that a newer server wrote
/// the record.
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
    let numbers = forgottenBefore > 0 ? [run ?? 0, forgottenBefore] : run.map { [$0] } ?? []
    var bytes = [UInt8(1 + numbers.count)]
    for number in numbers { withUnsafeBytes(of: number.littleEndian) { bytes += $0 } }
    return bytes + BinaryEncoding.encode(.operations(Delivery(cursor: Cursor(""), operations: operations)))
  }

  /// - Returns: `nil` if a newer server wrote the bytes, or if they are not a record.
  init?(_ bytes: [UInt8]) {
    guard let first = bytes.first, (1...3).contains(first) else { return nil }
    let start = 8 * Int(first) - 7
    guard bytes.count >= start else { return nil }
    func number(at place: Int) -> UInt64 {
      place >= start ? 0 : bytes[place..<place + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    run = number(at: 1) == 0 ? nil : number(at: 1)
    forgottenBefore = number(at: 9)
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
