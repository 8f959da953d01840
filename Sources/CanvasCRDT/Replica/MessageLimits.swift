/// How many operations and bytes this client may put into a message.
struct MessageLimits: Sendable {
  var operationsMax: Int
  let bytesMax: Int
  /// The server's limit on the bytes of a message.
  private let bytesAllowed: Int
  let encoding: WireEncoding

  /// - Parameter bytesTaken: the greatest length of a message that still gets through. It can be below the server's
  ///   limit, because something between client and server can have a lower one.
  init(_ limits: RoomLimits, encoding: WireEncoding, bytesTaken: Int = .max) {
    // The room's operations per second are a limit too: a message with more operations could never be sent.
    operationsMax = max(1, min(Int(clamping: limits.operationsPerMessage), Int(clamping: limits.operationsPerSecond)))
    bytesAllowed = Int(clamping: limits.messageBytes)
    bytesMax = min(bytesAllowed, bytesTaken)
    self.encoding = encoding
  }

  /// The bytes of a message without its operations.
  var envelopeBytes: Int { 64 }

  /// An upper bound on the operation's encoded length, found without encoding it.
  func bytesMax(of operation: borrowing Operation) -> Int {
    // The bytes of everything except the values: the operation's head, shape, actor, stamp and mask. JSON needs more,
    // because it also has the names of these members.
    var bytes = encoding == .binary ? 40 : 112
    for property in operation.set.assigned { bytes += bytesMax(of: property, in: operation.set) }
    return bytes
  }

  private func bytesMax(of property: Property, in set: borrowing Properties) -> Int {
    switch encoding {
    case .binary: MessageLimits.binaryBytesMax(of: property, in: set)
    // Four more bytes than the property's name are needed: for two quotes, a colon, and a comma after the value.
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
    // In JSON, a control character takes six bytes. New names may not have such characters, but old names may.
    case .name: 2 + 6 * set.name.utf8Count
    case .orderKey: 2 + set.z.text.utf8Count
    // In JSON, a line break takes two bytes.
    case .text: 2 + 2 * set.text.utf8Count
    // The worst case is a point that takes two bytes in a path and 14 characters in JSON, `[65535,65535],`: seven
    // characters for each byte. Points that have widths or are far apart take fewer characters for each byte.
    case .path: 8 + 7 * set.path.bytes.count
    }
  }

  /// Whether the server allows a message with only this operation. The operation is encoded only if the upper bound on
  /// its length exceeds the limit.
  func allows(_ operation: Operation) -> Bool {
    envelopeBytes + bytesMax(of: operation) <= bytesAllowed || bytes([operation]) <= bytesAllowed
  }

  /// The length of a message with these operations and the longest possible sequence number.
  func bytes(_ operations: [Operation]) -> Int {
    let id = MessageIdentifier(UInt64.max)
    return encoding.encode(.operations(Submission(id: id, operations: operations.map { ProposedOperation($0) }))).count
  }
}
