// Identifiers and stamps as JSON strings, written to the output without intermediate copies.

extension JSONWriter {
  @inlinable
  public mutating func value(_ identifier: Identifier) {
    put(upTo: Identifier.textLength + 2) { room in
      room[0] = UInt8(ascii: "\"")
      identifier.write(to: UnsafeMutableRawBufferPointer(rebasing: room[1...]))
      room[Identifier.textLength + 1] = UInt8(ascii: "\"")
      return Identifier.textLength + 2
    }
  }

  @inlinable
  public mutating func value(_ stamp: Stamp) {
    put(upTo: Stamp.textLengthMax + 2) { room in
      room[0] = UInt8(ascii: "\"")
      let length = stamp.write(to: UnsafeMutableRawBufferPointer(rebasing: room[1...]))
      room[length &+ 1] = UInt8(ascii: "\"")
      return length &+ 2
    }
  }
}
