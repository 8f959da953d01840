// Reading a text that is known to be valid JSON. If the next value is not of the kind that the caller asks for, the
// result is `nil`, and the reader doesn't move.

extension JSONReader {
  mutating func entersObject() -> Bool { (try? beginObject()) != nil }

  mutating func entersArray() -> Bool { (try? beginArray()) != nil }

  /// The next member's key. `nil` after the last member.
  mutating func memberKey() -> JSONString? { (try? nextKey()) ?? nil }

  mutating func hasElement() -> Bool { (try? nextElement()) ?? false }

  mutating func passOver() { try? skipValue() }

  mutating func string() -> JSONString? { try? readString() }

  mutating func boolean() -> Bool? { try? readBoolean() }

  /// A number. Minus zero becomes 0, because the two are equal and equal values must have one encoding.
  mutating func number() -> Double? {
    guard let number = try? readNumber() else { return nil }
    return number == 0 ? 0 : number
  }

  mutating func text() -> Text? { string()?.text }

  /// Applies `find` to the bytes of a string.
  @inline(__always)
  mutating func named<Value>(_ find: (UnsafeRawBufferPointer) -> Value?) -> Value? { string()?.withBytes(find) }

  mutating func identifier() -> Identifier? { named { Identifier(text: $0) } }

  mutating func stamp() -> Stamp? { named { Stamp(text: $0) } }

  mutating func color() -> Color? { named { Color(text: $0) } }

  /// An unsigned integer. Plain digits are read exactly. Other forms, such as 1e3, are read up to 2⁵³.
  mutating func wholeNumber() -> UInt64? {
    var digits = self
    guard kind == .number, let raw = try? digits.readRawValue() else { return nil }
    var value: UInt64 = 0
    for byte in raw {
      let digit = byte &- UInt8(ascii: "0")
      guard digit < 10 else {
        guard let number = number(), number >= 0, number <= 9_007_199_254_740_992 else { return nil }
        let integer = UInt64(number)
        return Double(integer) == number ? integer : nil
      }
      let (shifted, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = shifted.addingReportingOverflow(UInt64(digit))
      guard !overflow, !carry else { return nil }
      value = sum
    }
    self = digits
    return value
  }

  /// The index of an operation within a message.
  mutating func place() -> Int? { wholeNumber().flatMap { Int(exactly: $0) } }

  /// The next value of any kind, as compact JSON.
  mutating func json() -> JSONText? { try? JSONText(reading: &self, maximumBytes: Int.max) }

  /// An object that is passed on without being interpreted.
  mutating func object() -> JSONText? { kind == .object ? json() : nil }
}

// MARK: - Members of messages

extension JSONEncoding {
  /// Calls `body` for each member of the object that the reader is at. `body` must read or skip the member's value.
  /// Members whose value is `null` are ignored, because many libraries write absent values that way.
  @inline(__always)
  static func forEachMember(
    of reader: inout JSONReader,
    _ body: (JSONString, inout JSONReader) throws(MessageError) -> Void
  ) throws(MessageError) {
    guard reader.entersObject() else { throw .badField("an object was expected") }
    while let key = reader.memberKey() {
      if reader.kind == .null { reader.passOver() } else { try body(key, &reader) }
    }
  }

  /// Calls `body` for each element of the list that the reader is at.
  @inline(__always)
  static func forEachElement(
    of reader: inout JSONReader,
    _ body: (inout JSONReader) throws(MessageError) -> Void
  ) throws(MessageError) {
    guard reader.entersArray() else { throw .badField("a list was expected") }
    while reader.hasElement() { try body(&reader) }
  }

  static func writeTrue(_ name: StaticString, to writer: inout JSONWriter) {
    writer.key(name)
    writer.value(true)
  }
}

extension Optional {
  /// The value, or an error that names the missing field.
  func orField(_ words: StaticString) throws(MessageError) -> Wrapped {
    guard let value = self else { throw .badField(Text(words)) }
    return value
  }
}
