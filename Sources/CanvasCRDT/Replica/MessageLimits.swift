/// How much goes into one message.
struct MessageLimits: Sendable {
  var operationsMax: Int
  let bytesMax: Int
  let encoding: WireEncoding

  init(_ limits: RoomLimits, encoding: WireEncoding) {
    // What cannot pass at the permitted rate must not be one message.
    operationsMax = max(1, min(Int(clamping: limits.operationsPerMessage), Int(clamping: limits.operationsPerSecond)))
    bytesMax = Int(clamping: limits.messageBytes)
    self.encoding = encoding
  }

  /// What a message takes beside its operations.
  var envelopeBytes: Int { 64 }

  /// Not less than an operation takes, found without writing it.
  func bytesMax(of operation: borrowing Operation) -> Int {
    let set = operation.set
    let name = set.assigned.contains(.name) ? set.name.utf8Count : 0
    let key = set.assigned.contains(.z) ? set.z.text.utf8Count : 0
    switch encoding {
    // Head, shape, actor, stamp and mask; two numbers of ten bytes are the longest value.
    case .binary: return 40 + 20 * set.assigned.count + name + key
    // A control character of a name would take six bytes; two numbers of twenty-four are the longest other value.
    case .json: return 112 + 80 * set.assigned.count + 6 * name + key
    }
  }
}
