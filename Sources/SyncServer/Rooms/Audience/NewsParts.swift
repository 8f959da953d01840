import CanvasCRDT
import RoomLog

// Splits messages between nodes into parts that are short enough for the log to carry, and joins the parts again.

/// A part of a node's message, as the log carries it.
struct NewsPart: Sendable {
  /// The number of the sending node's process.
  let node: UInt64
  /// The sequence number of the part among all that the node has sent. A gap shows other nodes that they have missed a
  /// part.
  let number: UInt64
  let isFirst: Bool
  let isLast: Bool
  let bytes: [UInt8]

  fileprivate init(node: UInt64, number: UInt64, isFirst: Bool, isLast: Bool, bytes: ArraySlice<UInt8>) {
    self.node = node
    self.number = number
    self.isFirst = isFirst
    self.isLast = isLast
    self.bytes = Array(bytes)
  }

  func encoded() -> [UInt8] {
    var writer = ByteWriter(capacity: NewsPart.headBytes + bytes.count)
    writer.append(NewsPart.version)
    writer.appendLittleEndian(node)
    writer.appendLittleEndian(number)
    writer.append((isFirst ? Flags.isFirst : 0) | (isLast ? Flags.isLast : 0))
    writer.append(bytes)
    return writer.finish()
  }

  /// - Returns: `nil` if another version of the server wrote the bytes.
  init?(_ encoded: [UInt8]) {
    let head = encoded.withUnsafeBytes { buffer -> (node: UInt64, number: UInt64, flags: UInt8)? in
      var reader = ByteReader(buffer)
      guard (try? reader.readByte()) == NewsPart.version, let node = try? reader.readLittleEndian(as: UInt64.self),
        let number = try? reader.readLittleEndian(as: UInt64.self), let flags = try? reader.readByte()
      else { return nil }
      return (node, number, flags)
    }
    guard let head, head.flags <= Flags.isFirst | Flags.isLast else { return nil }
    node = head.node
    number = head.number
    isFirst = head.flags & Flags.isFirst != 0
    isLast = head.flags & Flags.isLast != 0
    bytes = Array(encoded[NewsPart.headBytes...])
  }

  private static let version: UInt8 = 1
  private static let headBytes = 18
  /// The most bytes of a message that fit into one part.
  fileprivate static let bytesMax = LogRequest.toldBytesMax - headBytes

  private enum Flags {
    static let isFirst: UInt8 = 1
    static let isLast: UInt8 = 2
  }
}

/// Splits a node's messages into parts.
struct NewsTeller: Sendable {
  /// The number of the node's process.
  let node: UInt64
  /// How many parts have been sent.
  private var told: UInt64 = 0

  init(node: UInt64) { self.node = node }

  mutating func parts(of news: [UInt8]) -> [[UInt8]] {
    stride(from: 0, to: max(news.count, 1), by: NewsPart.bytesMax).map { start in
      let end = min(start + NewsPart.bytesMax, news.count)
      told += 1
      return NewsPart(
        node: node,
        number: told,
        isFirst: start == 0,
        isLast: end == news.count,
        bytes: news[start..<end]
      ).encoded()
    }
  }
}

/// Joins the parts of another node's messages.
///
/// What always holds: a message is delivered whole or not at all.
struct NewsListener: Sendable {
  enum Heard {
    /// More parts of the same message follow.
    case begun
    /// A part of this message was missed, so the whole message is dropped.
    case cut
    /// - Parameter isNext: false if an earlier message was missed.
    case news([UInt8], isNext: Bool)
  }

  private var number: UInt64 = 0
  private var begun: (bytes: [UInt8], isNext: Bool)?

  mutating func hear(_ part: NewsPart) -> Heard {
    let isNext = part.number == number &+ 1
    number = part.number
    if part.isFirst {
      begun = (part.bytes, isNext)
    } else if isNext {
      begun?.bytes += part.bytes
    } else {
      begun = nil
    }
    guard let begun else { return .cut }
    guard part.isLast else { return .begun }
    self.begun = nil
    return .news(begun.bytes, isNext: begun.isNext)
  }
}
