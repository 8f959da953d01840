/// Frames for tests without sockets: each message is preceded by its length.
public enum LengthFraming {
  public static func append(_ message: [UInt8], to bytes: inout [UInt8]) {
    withUnsafeBytes(of: UInt32(message.count).littleEndian) { bytes.append(contentsOf: $0) }
    bytes.append(contentsOf: message)
  }

  /// Removes all complete messages from the received bytes, and returns them.
  public static func takeMessages(_ bytes: inout [UInt8]) -> [[UInt8]] {
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
