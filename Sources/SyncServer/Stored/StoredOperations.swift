import CanvasCRDT
import RoomLog

/// The bytes of a batch in the log: a byte that names the form; in forms 2 and 3, the number of the run that wrote it, in
/// eight bytes, lowest first; in form 3, the time before which deletions are forgotten, likewise; then the operations in the
/// binary encoding.
struct StoredOperations {
  /// The number of the run, if the log might not have it yet.
  let run: UInt64?
  /// If this is not 0, deletions from before this are forgotten from here on, in Unix milliseconds.
  let forgottenBefore: UInt64
  let operations: [Operation]

  init(run: UInt64?, forgottenBefore: UInt64 = 0, operations: [Operation]) {
    self.run = run
    self.forgottenBefore = forgottenBefore
    self.operations = operations
  }

  func encoded() -> [UInt8] {
    var form = [StoredOperations.plain]
    if forgottenBefore > 0 {
      form = [StoredOperations.forgetting]
      // No run has the number 0.
      for number in [run ?? 0, forgottenBefore] { withUnsafeBytes(of: number.littleEndian) { form += $0 } }
    } else if let run {
      form = [StoredOperations.withRun]
      withUnsafeBytes(of: run.littleEndian) { form += $0 }
    }
    return form + BinaryEncoding.encode(.operations(Delivery(cursor: Cursor(""), operations: operations)))
  }

  /// `nil` if the bytes were written by a newer server, or are not ours.
  init?(_ bytes: [UInt8]) {
    let start: Int
    func number(at place: Int) -> UInt64 { bytes[place..<place + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) } }
    switch bytes.first {
    case StoredOperations.plain:
      run = nil
      forgottenBefore = 0
      start = 1
    case StoredOperations.withRun where bytes.count >= 9:
      run = number(at: 1)
      forgottenBefore = 0
      start = 9
    case StoredOperations.forgetting where bytes.count >= 17:
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

  private static let plain: UInt8 = 1
  private static let withRun: UInt8 = 2
  private static let forgetting: UInt8 = 3
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
