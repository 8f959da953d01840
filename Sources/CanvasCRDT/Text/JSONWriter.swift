/// Writes compact JSON, and adds the commas.
///
/// Whether a comma is needed depends only on the last written byte, so no stack is needed. The caller must close what
/// it opens, and write a key before each value of an object.
public struct JSONWriter: Sendable {
  @usableFromInline var output: ByteWriter
  @usableFromInline var isCommaDue = false

  @inlinable
  public init(capacity: Int = 0) {
    output = ByteWriter(capacity: capacity)
  }

  /// Continues after the bytes that another writer has written.
  @inlinable
  public init(behind output: consuming ByteWriter) {
    self.output = output
  }

  @inlinable public var count: Int { output.count }

  public var bytes: [UInt8] { output.bytes }

  /// Returns the written bytes without copying them, and consumes the writer.
  public consuming func finish() -> [UInt8] { output.finish() }

  // MARK: - Objects and arrays

  @inlinable public mutating func beginObject() { open(UInt8(ascii: "{")) }
  @inlinable public mutating func endObject() { close(UInt8(ascii: "}")) }
  @inlinable public mutating func beginArray() { open(UInt8(ascii: "[")) }
  @inlinable public mutating func endArray() { close(UInt8(ascii: "]")) }

  @usableFromInline
  mutating func open(_ bracket: UInt8) {
    put(upTo: 1) { room in
      room[0] = bracket
      return 1
    }
    isCommaDue = false
  }

  @usableFromInline
  mutating func close(_ bracket: UInt8) {
    output.append(bracket)
    isCommaDue = true
  }

  /// Writes a key that needs no escapes. No key of the protocol needs any.
  @inlinable
  public mutating func key(_ name: StaticString) {
    let length = name.utf8CodeUnitCount
    put(upTo: length &+ 3) { room in
      room[0] = UInt8(ascii: "\"")
      JSONWriter.copy(name, to: room, at: 1)
      room[length &+ 1] = UInt8(ascii: "\"")
      room[length &+ 2] = UInt8(ascii: ":")
      return length &+ 3
    }
    isCommaDue = false
  }

  public mutating func key(text name: Text) {
    value(text: name)
    output.append(UInt8(ascii: ":"))
    isCommaDue = false
  }

  // MARK: - Values

  public mutating func value(text: Text) {
    text.withBytes { bytes in string(bytes) }
  }

  /// Writes a text that needs no escapes.
  @inlinable
  public mutating func value(_ text: StaticString) {
    let length = text.utf8CodeUnitCount
    put(upTo: length &+ 2) { room in
      room[0] = UInt8(ascii: "\"")
      JSONWriter.copy(text, to: room, at: 1)
      room[length &+ 1] = UInt8(ascii: "\"")
      return length &+ 2
    }
  }

  @inlinable
  public mutating func value(_ number: Double) {
    put(upTo: NumberText.lengthMax) { room in NumberText.write(number, to: room) }
  }

  @inlinable
  public mutating func value(_ number: UInt64) {
    put(upTo: NumberText.lengthMax) { room in NumberText.writeDigits(of: number, to: room, at: 0) }
  }

  @inlinable
  public mutating func value(_ number: Int) {
    put(upTo: NumberText.lengthMax) { room in
      room[0] = UInt8(ascii: "-")
      return NumberText.writeDigits(of: UInt64(number.magnitude), to: room, at: number < 0 ? 1 : 0)
    }
  }

  @inlinable
  public mutating func value(_ flag: Bool) {
    word(flag ? "true" : "false")
  }

  @inlinable
  public mutating func null() {
    word("null")
  }

  @inlinable
  public mutating func value(_ json: JSONText) {
    json.bytes.withUnsafeBytes { raw($0) }
  }

  /// Writes bytes that are known to be JSON, unchanged.
  @inlinable
  public mutating func raw(_ bytes: UnsafeRawBufferPointer) {
    put(upTo: bytes.count) { room in
      room.copyMemory(from: bytes)
      return bytes.count
    }
  }

  @usableFromInline
  mutating func word(_ word: StaticString) {
    raw(UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
  }

  // MARK: - Implementation

  /// Writes a comma if one is needed, and then what `body` writes. The space for both is checked once.
  @inlinable
  @inline(__always)
  mutating func put(upTo maximum: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int) {
    let comma = isCommaDue ? 1 : 0
    output.append(upTo: maximum &+ 1) { room in
      room[0] = UInt8(ascii: ",")
      return comma &+ body(UnsafeMutableRawBufferPointer(rebasing: room[comma..<(comma &+ maximum)]))
    }
    isCommaDue = true
  }

  @inlinable
  @inline(__always)
  static func copy(_ text: StaticString, to room: UnsafeMutableRawBufferPointer, at start: Int) {
    UnsafeMutableRawBufferPointer(rebasing: room[start...])
      .copyMemory(from: UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Writes a string from UTF-8. Most strings need no escapes, and are copied whole.
  private mutating func string(_ bytes: UnsafeRawBufferPointer) {
    let needsEscapes = bytes.contains { JSONWriter.needsEscape($0) }
    put(upTo: (needsEscapes ? bytes.count &* 6 : bytes.count) &+ 2) { room in
      room[0] = UInt8(ascii: "\"")
      var end = 1
      if needsEscapes {
        for byte in bytes { end = JSONWriter.writeEscaped(byte, to: room, at: end) }
      } else {
        UnsafeMutableRawBufferPointer(rebasing: room[1...]).copyMemory(from: bytes)
        end = bytes.count &+ 1
      }
      room[end] = UInt8(ascii: "\"")
      return end &+ 1
    }
  }

  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private static func writeEscaped(_ byte: UInt8, to room: UnsafeMutableRawBufferPointer, at start: Int) -> Int {
    guard needsEscape(byte) else {
      room[start] = byte
      return start &+ 1
    }
    room[start] = UInt8(ascii: "\\")
    switch byte {
    case 0x08: room[start &+ 1] = UInt8(ascii: "b")
    case 0x09: room[start &+ 1] = UInt8(ascii: "t")
    case 0x0A: room[start &+ 1] = UInt8(ascii: "n")
    case 0x0C: room[start &+ 1] = UInt8(ascii: "f")
    case 0x0D: room[start &+ 1] = UInt8(ascii: "r")
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): room[start &+ 1] = byte
    default:
      room[start &+ 1] = UInt8(ascii: "u")
      room[start &+ 2] = UInt8(ascii: "0")
      room[start &+ 3] = UInt8(ascii: "0")
      room[start &+ 4] = UInt8(ascii: "0") &+ byte >> 4
      let digit = byte & 0x0F
      room[start &+ 5] = digit < 10 ? UInt8(ascii: "0") &+ digit : UInt8(ascii: "a") &+ digit &- 10
      return start &+ 6
    }
    return start &+ 2
  }
}
