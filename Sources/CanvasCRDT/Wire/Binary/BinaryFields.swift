// The fields of messages in the binary encoding.

extension ByteReader {
  @inline(__always)
  mutating func varint() throws(BinaryFailure) -> UInt64 {
    do { return try readVarint() } catch {
      switch error {
      case .truncated: throw .truncated
      case .malformedVarint: throw .malformed("a varint that is longer than it has to be")
      }
    }
  }

  @inline(__always)
  mutating func byte() throws(BinaryFailure) -> UInt8 {
    do { return try readByte() } catch { throw .truncated }
  }

  mutating func littleEndian64() throws(BinaryFailure) -> UInt64 {
    do { return try readLittleEndian() } catch { throw .truncated }
  }

  mutating func slice(_ count: Int) throws(BinaryFailure) -> UnsafeRawBufferPointer {
    do { return try readBytes(count) } catch { throw .truncated }
  }

  mutating func countedBytes() throws(BinaryFailure) -> UnsafeRawBufferPointer {
    let count = try varint()
    guard count <= UInt64(remaining) else { throw .truncated }
    return try slice(Int(count))
  }

  mutating func countedText() throws(BinaryFailure) -> Text {
    guard let text = Text(utf8: try countedBytes()) else { throw .malformed("text that is not UTF-8") }
    return text
  }

  /// An identifier: six bytes, the highest first.
  @inline(__always)
  mutating func identifier() throws(BinaryFailure) -> Identifier {
    guard let identifier = Identifier(packed: try packed48()) else {
      throw .malformed("an identifier past zzz-zzz-zzz")
    }
    return identifier
  }

  mutating func identifierOrNone() throws(BinaryFailure) -> Identifier? {
    let packed = try packed48()
    guard packed != BinaryEncoding.noIdentifier else { return nil }
    guard let identifier = Identifier(packed: packed) else { throw .malformed("an identifier past zzz-zzz-zzz") }
    return identifier
  }

  /// The place in a tie, which comes after the identifier. `nil` if the place is not within a box.
  mutating func boxPlace() throws(BinaryFailure) -> BoxPlace? {
    let (x, y) = (try varint(), try varint())
    guard let x = UInt16(exactly: x), let y = UInt16(exactly: y) else { return nil }
    return BoxPlace(x: x, y: y)
  }

  @inline(__always)
  mutating func packed48() throws(BinaryFailure) -> UInt64 {
    let bytes = try slice(6)
    let high = UInt64(UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self)))
    return high << 16 | UInt64(bytes[4]) << 8 | UInt64(bytes[5])
  }

  /// A stamp: milliseconds and counter in eight bytes, the highest first, and then the actor.
  mutating func stamp() throws(BinaryFailure) -> Stamp {
    let bytes = try slice(8)
    return Stamp(time: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)), actor: try identifier())
  }

  @inline(__always)
  mutating func color() throws(BinaryFailure) -> Color {
    let bytes = try slice(3)
    return Color(red: bytes[0], green: bytes[1], blue: bytes[2])
  }

  /// The count of elements that follow, each of which takes at least `bytesEach` bytes. A count that is too large for
  /// the remaining bytes is rejected before memory is allocated for the elements.
  mutating func count(bytesEach: Int) throws(BinaryFailure) -> Int {
    let count = try varint()
    guard count <= UInt64(remaining / bytesEach) else { throw .truncated }
    return Int(count)
  }
}

extension ByteWriter {
  mutating func append(orNone identifier: Identifier?) {
    append(identifier ?? Identifier(unchecked: BinaryEncoding.noIdentifier))
  }

  mutating func append(orNone tie: Tie?) {
    append(orNone: tie?.shape)
    guard let tie else { return }
    appendVarint(UInt64(tie.place.x))
    appendVarint(UInt64(tie.place.y))
  }

  mutating func append(_ identifier: Identifier) {
    append(upTo: 8) { room in
      // Eight bytes are stored at once: the identifier's six, and two more that the next value overwrites.
      room.storeBytes(of: (identifier.packed << 16).bigEndian, as: UInt64.self)
      return 6
    }
  }

  mutating func append(_ stamp: Stamp) {
    appendBigEndian(stamp.time)
    append(stamp.actor)
  }

  mutating func append(_ color: Color) {
    append(upTo: 3) { room in
      room[0] = color.red
      room[1] = color.green
      room[2] = color.blue
      return 3
    }
  }

  mutating func appendCounted(_ text: Text) {
    appendVarint(UInt64(text.utf8Count))
    append(text)
  }

  mutating func appendCounted(_ bytes: [UInt8]) {
    appendVarint(UInt64(bytes.count))
    append(bytes)
  }
}

extension JSONText {
  /// `nil` unless the bytes are JSON without superfluous whitespace.
  init?(compact bytes: UnsafeRawBufferPointer) {
    guard let json = try? JSONText(validating: bytes, maximumBytes: bytes.count), json.bytes.count == bytes.count else {
      return nil
    }
    self = json
  }
}
