import CanvasCRDT

@testable import SyncServer

/// Messages behind their length, in the place of WebSocket frames.
enum TestFraming {
  static let framing = Framing { message, _, bytes in
    withUnsafeBytes(of: UInt32(message.count).littleEndian) { bytes.append(contentsOf: $0) }
    bytes.append(contentsOf: message)
  }

  /// Takes the whole messages off the front of what has arrived.
  static func takeMessages(_ bytes: inout [UInt8]) -> [[UInt8]] {
    var messages: [[UInt8]] = []
    var offset = 0
    while bytes.count - offset >= 4 {
      let count = (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
      guard bytes.count - offset - 4 >= count else { break }
      messages.append(Array(bytes[(offset + 4)..<(offset + 4 + count)]))
      offset += 4 + count
    }
    bytes.removeFirst(offset)
    return messages
  }
}
