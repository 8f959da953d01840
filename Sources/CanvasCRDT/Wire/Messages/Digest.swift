// A client's `digest`, which has no fields, and the server's `digest`: the hash of the room's canvas at one position of
// the room's log.

// MARK: - JSON

extension JSONEncoding {
  static func writeDigest(_ cursor: Cursor, _ hash: UInt64, to writer: inout JSONWriter) {
    write(cursor, to: &writer)
    writer.key("hash")
    writer.value(text: hexadecimal(hash))
  }

  static func readDigest(from reader: inout JSONReader) throws(MessageError) -> ServerMessage {
    var cursor: Cursor?
    var hash: UInt64?
    try forEachMember(of: &reader) { (key, reader) throws(MessageError) in
      switch key {
      case "cursor": cursor = try reader.cursor()
      case "hash": hash = try reader.hexadecimal().orField("hash must be sixteen hexadecimal digits")
      default: reader.passOver()
      }
    }
    return .digest(
      cursor: try cursor.orField("digest must have a cursor"),
      hash: try hash.orField("digest must have a hash")
    )
  }

  /// Sixteen hexadecimal digits in lower case, the form in which digests are written everywhere.
  public static func hexadecimal(_ value: UInt64) -> Text {
    var writer = ByteWriter(capacity: 16)
    var shift: UInt64 = 64
    while shift > 0 {
      shift -= 4
      let digit = UInt8(truncatingIfNeeded: value >> shift & 15)
      writer.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }
    return writer.withBytes { Text(uncheckedUTF8: $0) }
  }
}

extension JSONReader {
  /// Reads sixteen hexadecimal digits in lower case.
  fileprivate mutating func hexadecimal() -> UInt64? {
    string()?.withBytes { bytes -> UInt64? in
      guard bytes.count == 16 else { return nil }
      var value: UInt64 = 0
      for byte in bytes {
        let digit: UInt8
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte &- UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte &- UInt8(ascii: "a") &+ 10
        default: return nil
        }
        value = value << 4 | UInt64(digit)
      }
      return value
    }
  }
}

// MARK: - Binary

extension BinaryEncoding {
  static func writeDigest(_ cursor: Cursor, _ hash: UInt64, to writer: inout ByteWriter) {
    writer.append(cursor)
    writer.appendBigEndian(hash)
  }

  static func readDigest(from reader: inout ByteReader) throws(BinaryFailure) -> ServerMessage {
    let cursor = try reader.cursor()
    let hash = try reader.slice(8)
    return .digest(cursor: cursor, hash: UInt64(bigEndian: hash.loadUnaligned(as: UInt64.self)))
  }
}
