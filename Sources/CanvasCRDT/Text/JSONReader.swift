/// Walks a JSON text that was found to be one, value by value, without building anything.
///
///     var reader = try JSONReader(validating: bytes)
///     try reader.beginObject()
///     while let key = try reader.nextKey() {
///       switch key {
///       case "type": type = try reader.readString().text
///       default: try reader.skipValue()
///       }
///     }
///
/// Each key's and element's value is read or passed over before the next is asked for. Asking for another kind of
/// value than is there is a failure with a name and leads nowhere worse. The reader and what it returns borrow the
/// bytes: they live inside the `withUnsafeBytes` closure that the buffer came from.
public struct JSONReader {
  @usableFromInline let bytes: UnsafeRawBufferPointer
  @usableFromInline var index: Int

  /// Checks the whole text once, so that reading need not.
  public init(validating bytes: UnsafeRawBufferPointer, quotes: JSONQuotes = .double) throws(JSONFailure) {
    try JSONScanner.validate(bytes, quotes: quotes)
    self.bytes = bytes
    index = JSONScanner.whitespaceEnd(in: bytes, from: 0)
  }

  /// How many bytes come before the next value, for saying where something was wrong.
  @inlinable public var offset: Int { index }

  /// What the next value is; nothing behind the last.
  public var kind: JSONKind? {
    guard index < bytes.count else { return nil }
    switch bytes[index] {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return .string
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .boolean
    case UInt8(ascii: "n"): return .null
    default: return nil
    }
  }

  // MARK: - Objects and arrays

  public mutating func beginObject() throws(JSONFailure) { try enter(UInt8(ascii: "{")) }

  public mutating func beginArray() throws(JSONFailure) { try enter(UInt8(ascii: "[")) }

  private mutating func enter(_ bracket: UInt8) throws(JSONFailure) {
    guard index < bytes.count, bytes[index] == bracket else { throw JSONFailure(.unexpectedKind, at: index) }
    advance(to: index &+ 1)
  }

  /// The next member's key, and the reader is at its value; nothing, and the reader is behind the object, at its end.
  public mutating func nextKey() throws(JSONFailure) -> JSONString? {
    guard try nextIsPresent(before: UInt8(ascii: "}")) else { return nil }
    let key = try readString()
    guard index < bytes.count, bytes[index] == UInt8(ascii: ":") else { throw JSONFailure(.unexpectedKind, at: index) }
    advance(to: index &+ 1)
    return key
  }

  /// Whether the reader is at one more element of the array; if not, it is behind the array.
  public mutating func nextElement() throws(JSONFailure) -> Bool {
    try nextIsPresent(before: UInt8(ascii: "]"))
  }

  private mutating func nextIsPresent(before bracket: UInt8) throws(JSONFailure) -> Bool {
    guard index < bytes.count else { throw JSONFailure(.unexpectedKind, at: index) }
    if bytes[index] == UInt8(ascii: ",") { advance(to: index &+ 1) }
    guard index < bytes.count else { throw JSONFailure(.unexpectedKind, at: index) }
    guard bytes[index] == bracket else { return true }
    advance(to: index &+ 1)
    return false
  }

  // MARK: - Values

  public mutating func readString() throws(JSONFailure) -> JSONString {
    guard index < bytes.count, case let quote = bytes[index], quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
    else { throw JSONFailure(.unexpectedKind, at: index) }
    let start = index &+ 1
    let (end, hasEscapes) = try closingQuote(quote, from: start)
    advance(to: end &+ 1)
    return JSONString(raw: UnsafeRawBufferPointer(rebasing: bytes[start..<end]), hasEscapes: hasEscapes)
  }

  private func closingQuote(_ quote: UInt8, from start: Int) throws(JSONFailure) -> (end: Int, hasEscapes: Bool) {
    var hasEscapes = false
    var end = start
    while true {
      end = JSONScanner.plainEnd(in: bytes, from: end, quote: quote)
      guard end < bytes.count else { throw JSONFailure(.endOfText, at: end) }
      if bytes[end] == quote { return (end, hasEscapes) }
      if bytes[end] == UInt8(ascii: "\\") {
        hasEscapes = true
        end &+= 1
      }
      end &+= 1
    }
  }

  /// The nearest `Double`: infinity where the number is too great for one, which the caller refuses.
  public mutating func readNumber() throws(JSONFailure) -> Double {
    var end = index
    guard let number = DecimalNumber(reading: bytes, at: &end) else { throw JSONFailure(.unexpectedKind, at: index) }
    advance(to: end)
    return number.rounded(from: bytes)
  }

  public mutating func readBoolean() throws(JSONFailure) -> Bool {
    guard kind == .boolean else { throw JSONFailure(.unexpectedKind, at: index) }
    let value = bytes[index] == UInt8(ascii: "t")
    advance(to: index &+ (value ? 4 : 5))
    return value
  }

  public mutating func readNull() throws(JSONFailure) {
    guard kind == .null else { throw JSONFailure(.unexpectedKind, at: index) }
    advance(to: index &+ 4)
  }

  public mutating func skipValue() throws(JSONFailure) {
    _ = try readRawValue()
  }

  /// The next value's bytes as they stand in the text.
  public mutating func readRawValue() throws(JSONFailure) -> UnsafeRawBufferPointer {
    let start = index
    var end = start
    var depth = 0
    repeat {
      guard end < bytes.count else { throw JSONFailure(.unexpectedKind, at: start) }
      let byte = bytes[end]
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth &+= 1
        end &+= 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth &-= 1
        end &+= 1
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        end = try closingQuote(byte, from: end &+ 1).end &+ 1
      case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x0A, 0x0D, 0x09:
        guard depth > 0 else { throw JSONFailure(.unexpectedKind, at: start) }
        end &+= 1
      default:
        // A number or a literal: up to the next byte that is in none.
        end &+= 1
        while end < bytes.count, JSONReader.isInWord(bytes[end]) { end &+= 1 }
      }
    } while depth > 0
    guard depth == 0 else { throw JSONFailure(.unexpectedKind, at: start) }
    advance(to: end)
    return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
  }

  private static func isInWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "E"),
      UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
      true
    default: false
    }
  }

  /// Every step ends behind the whitespace, so that the next starts at what matters.
  private mutating func advance(to end: Int) {
    index = JSONScanner.whitespaceEnd(in: bytes, from: min(end, bytes.count))
  }
}

/// A string or a key, still in the text that it was read from.
public struct JSONString {
  /// What stands between the quotes, escapes and all.
  public let raw: UnsafeRawBufferPointer
  public let hasEscapes: Bool

  /// The bytes that the string stands for, for as long as `body` runs; copied only where there are escapes.
  public func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard hasEscapes else { return try body(raw) }
    return try JSONScanner.unescaped(raw).span.withUnsafeBytes(body)
  }

  public var text: Text {
    withBytes { bytes in Text(uncheckedUTF8: bytes) }
  }

  /// `case "shape":` in a switch over a key.
  public static func ~= (text: StaticString, string: JSONString) -> Bool {
    let text = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    guard string.hasEscapes else {
      return string.raw.count == text.count && ByteOrder.compare(string.raw, text) == 0
    }
    return string.withBytes { bytes in ByteOrder.compare(bytes, text) == 0 }
  }
}
