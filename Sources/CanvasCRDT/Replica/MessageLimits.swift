/// How much goes into one message.
struct MessageLimits: Sendable {
  var operationsMax: Int
  let bytesMax: Int
  /// The limits that the server announced.
  private let bytesAllowed: Int
  let encoding: WireEncoding

  /// - Parameter bytesTaken: the longest that messages may be, if one that the server should have accepted was too
  ///   long.
  init(_ limits: RoomLimits, encoding: WireEncoding, bytesTaken: Int = .max) {
    // A message with more operations than the rate permits at once could never be sent.
    operationsMax = max(1, min(Int(clamping: limits.operationsPerMessage), Int(clamping: limits.operationsPerSecond)))
    bytesAllowed = Int(clamping: limits.messageBytes)
    bytesMax = min(bytesAllowed, bytesTaken)
    self.encoding = encoding
  }

  /// The bytes of a message apart from its operations.
  var envelopeBytes: Int { 64 }

  /// An upper bound on the operation's length, found without encoding it.
  func bytesMax(of operation: borrowing Operation) -> Int {
    // Head, shape, actor, stamp and mask; in JSON also their names.
    var bytes = encoding == .binary ? 40 : 112
    for property in operation.set.assigned { bytes += bytesMax(of: property, in: operation.set) }
    return bytes
  }

  private func bytesMax(of property: Property, in set: borrowing Properties) -> Int {
    switch encoding {
    case .binary: MessageLimits.binaryBytesMax(of: property, in: set)
    // The name in quotes, a colon and a comma.
    case .json: property.wireName.utf8CodeUnitCount + 4 + MessageLimits.jsonBytesMax(of: property, in: set)
    }
  }

  private static func binaryBytesMax(of property: Property, in set: borrowing Properties) -> Int {
    switch property.form {
    case .erasure: 0
    case .kind, .choice, .flag, .integer: 1
    case .color: 3
    case .number: 10
    case .pair: 20
    case .identifier, .tie: 16
    case .name: 2 + set.name.utf8Count
    case .orderKey: 2 + set.z.text.utf8Count
    case .text: 2 + set.text.utf8Count
    case .path: 2 + set.path.bytes.count
    }
  }

  private static func jsonBytesMax(of property: Property, in set: borrowing Properties) -> Int {
    switch property.form {
    case .erasure, .kind, .choice, .flag, .color, .integer: 24
    case .identifier, .tie: 32
    case .number: 24
    case .pair: 52
    // A control character in a name from before the rule for names takes six bytes.
    case .name: 2 + 6 * set.name.utf8Count
    case .orderKey: 2 + set.z.text.utf8Count
    // A line break takes two bytes.
    case .text: 2 + 2 * set.text.utf8Count
    // A point of two bytes takes at most as many characters as `[65535,65535],`, which is seven for each byte. If
    // points have widths or are far apart, they take fewer for each byte.
    case .path: 8 + 7 * set.path.bytes.count
    }
  }

  /// Whether the server allows a message with this operation alone. It is encoded only if the bound doesn't decide.
  func allows(_ operation: Operation) -> Bool {
    envelopeBytes + bytesMax(of: operation) <= bytesAllowed || bytes([operation]) <= bytesAllowed
  }

  /// The length of a message with these operations, whatever its number.
  func bytes(_ operations: [Operation]) -> Int {
    let id = MessageIdentifier(UInt64.max)
    return encoding.encode(.operations(Submission(id: id, operations: operations.map { ProposedOperation($0) }))).count
  }
}
