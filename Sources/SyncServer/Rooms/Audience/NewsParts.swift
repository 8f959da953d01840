import CanvasCRDT

// The frame around messages between nodes: who sends a message, and whether one before it was missed.

/// A node's message, as the log carries it.
struct NewsPart: Sendable {
  /// The number of the sending node's process.
  let node: UInt64
  /// The sequence number of the message among all that the node has sent. A gap shows other nodes that they have missed
  /// a message.
  let number: UInt64
  let bytes: [UInt8]

  fileprivate init(node: UInt64, number: UInt64, bytes: [UInt8]) {
    self.node = node
    self.number = number
    self.bytes = bytes
  }

  fileprivate func encoded() -> [UInt8] {
    var writer = ByteWriter(capacity: NewsPart.headBytes + bytes.count)
    writer.append(NewsPart.version)
    writer.appendLittleEndian(node)
    writer.appendLittleEndian(number)
    writer.append(bytes)
    return writer.finish()
  }

  /// - Returns: `nil` if another version of the server wrote the bytes.
  init?(_ encoded: [UInt8]) {
    let head = encoded.withUnsafeBytes { buffer -> (node: UInt64, number: UInt64)? in
      var reader = ByteReader(buffer)
      guard (try? reader.readByte()) == NewsPart.version, let node = try? reader.readLittleEndian(as: UInt64.self),
        let number = try? reader.readLittleEndian(as: UInt64.self)
      else { return nil }
      return (node, number)
    }
    guard let head else { return nil }
    node = head.node
    number = head.number
    bytes = Array(encoded[NewsPart.headBytes...])
  }

  private static let version: UInt8 = 2
  private static let headBytes = 17
}

/// Numbers a node's messages.
struct NewsTeller: Sendable {
  /// The number of the node's process.
  let node: UInt64
  /// How many messages have been sent.
  private var told: UInt64 = 0

  init(node: UInt64) { self.node = node }

  mutating func message(_ news: [UInt8]) -> [UInt8] {
    told += 1
    return NewsPart(node: node, number: told, bytes: news).encoded()
  }
}

/// Follows the numbers of another node's messages.
struct NewsListener: Sendable {
  private var number: UInt64 = 0

  /// - Returns: false if an earlier message was missed.
  mutating func hear(_ part: NewsPart) -> Bool {
    defer { number = part.number }
    return part.number == number &+ 1
  }
}
