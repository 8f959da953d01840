import CanvasCRDT

/// How a batch stands in the log: a byte that names the form, and the operations in the binary encoding.
enum StoredOperations {
  private static let version: UInt8 = 1

  static func encode(_ operations: [Operation]) -> [UInt8] {
    [version] + BinaryEncoding.encode(.operations(Delivery(cursor: Cursor(""), operations: operations)))
  }

  /// Nothing where the bytes are of a newer server, or not ours.
  static func decode(_ bytes: [UInt8]) -> [Operation]? {
    guard bytes.first == version else { return nil }
    guard case .operations(let delivery)? = try? BinaryEncoding.decodeServerMessage(Array(bytes.dropFirst())),
      case .operations(let operations) = delivery.content
    else { return nil }
    return operations
  }
}
