/// How much goes into one message.
struct MessageLimits: Sendable {
  var operationsMax: Int
  let bytesMax: Int
  let encoding: WireEncoding

  init(_ limits: RoomLimits, encoding: WireEncoding) {
    // A message that is larger than the permitted rate could never be sent.
    operationsMax = max(1, min(Int(clamping: limits.operationsPerMessage), Int(clamping: limits.operationsPerSecond)))
    bytesMax = Int(clamping: limits.messageBytes)
    self.encoding = encoding
  }

  /// The bytes of a message apart from its operations.
  var envelopeBytes: Int { 64 }

  /// An upper bound on the operation's length, found without encoding it.
  func bytesMax(of operation: borrowing Operation) -> Int {
    let set = operation.set
    let name = set.assigned.contains(.name) ? set.name.utf8Count : 0
    let key = set.assigned.contains(.z) ? set.z.text.utf8Count : 0
    let text = set.assigned.contains(.text) ? set.text.utf8Count : 0
    switch encoding {
    // Head, shape, actor, stamp and mask; two numbers of ten bytes are the longest value.
    case .binary: return 40 + 20 * set.assigned.count + name + key + text
    // A control character of a name can take six bytes, a line break of a text two. The longest other value is two
    // numbers of twenty-four bytes.
    case .json: return 112 + 80 * set.assigned.count + 6 * name + key + 2 * text
    }
  }
}
