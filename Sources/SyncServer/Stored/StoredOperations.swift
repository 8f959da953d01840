import CanvasCRDT
import RoomLog

/// The bytes of a batch in the log: a byte that names the form; in form 2, the number of the run that wrote it, in
/// eight bytes, lowest first; then the operations in the binary encoding.
struct StoredOperations {
  /// The number of the run, if the log might not have it yet.
  let run: UInt64?
  let operations: [Operation]

  init(run: UInt64?, operations: [Operation]) {
    self.run = run
    self.operations = operations
  }

  func encoded() -> [UInt8] {
    var form = [StoredOperations.plain]
    if let run {
      form = [StoredOperations.withRun]
      withUnsafeBytes(of: run.littleEndian) { form.append(contentsOf: $0) }
    }
    return form + BinaryEncoding.encode(.operations(Delivery(cursor: Cursor(""), operations: operations)))
  }

  /// `nil` if the bytes were written by a newer server, or are not ours.
  init?(_ bytes: [UInt8]) {
    let start: Int
    switch bytes.first {
    case StoredOperations.plain:
      run = nil
      start = 1
    case StoredOperations.withRun where bytes.count >= 9:
      run = bytes[1..<9].reversed().reduce(0) { $0 << 8 | UInt64($1) }
      start = 9
    default: return nil
    }
    guard case .operations(let delivery)? = try? BinaryEncoding.decodeServerMessage(Array(bytes.dropFirst(start))),
      case .operations(let operations) = delivery.content
    else { return nil }
    self.operations = operations
  }

  private static let plain: UInt8 = 1
  private static let withRun: UInt8 = 2
}

extension RoomRecord {
  init(_ record: LogRecord, _ stored: StoredOperations, batch: UInt64? = nil, endsBatch: Bool = true) {
    self.init(
      position: record.position,
      milliseconds: record.milliseconds,
      batch: batch,
      endsBatch: endsBatch,
      run: stored.run,
      operations: stored.operations
    )
  }
}
