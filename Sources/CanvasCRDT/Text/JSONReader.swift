/// Reads a JSON text that was checked before, value by value, without building a tree.
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
/// The caller must read or skip the value of each key or element before it asks for the next one. Otherwise the reader
/// throws, so that a loop over elements always ends. It also throws if the value is of another kind than the caller
/// asks for. The reader and its results borrow the bytes, so they must stay within the `withUnsafeBytes` closure that
/// the buffer came from.
public struct JSONReader {
  @usableFromInline let bytes: UnsafeRawBufferPointer
  @usableFromInline var index: Int
  /// The offset of the key or element that was returned last. If the caller asks for the next one without having read
  /// this value, the reader throws. Otherwise such a caller could loop for ever.
  private var given = -1

  /// Checks the whole text once, so that reading needs no checks.
  public init(validating bytes: UnsafeRawBufferPointer, quotes: JSONQuotes = .double) throws(JSONFailure) {
    try JSONScanner.validate(bytes, quotes: quotes)
    self.bytes = bytes
    index = JSONScanner.whitespaceEnd(in: bytes, from: 0)
  }

  /// The offset of the next value, for error messages.
  @inlinable public var offset: Int { index }

  /// The kind of the next value. `nil` after the last value.
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

  /// Returns the next member's key, and moves to the member's value. At the end of the object, returns `nil` and moves
  /// past it.
  public mutating func nextKey() throws(JSONFailure) -> JSONString? {
    guard try nextIsPresent(before: UInt8(ascii: "}")) else { return nil }
    let key = try readString()
    guard index < bytes.count, bytes[index] == UInt8(ascii: ":") else { throw JSONFailure(.unexpectedKind, at: index) }
    advance(to: index &+ 1)
    given = index
    return key
  }

  /// Returns whether the array has another element, and moves to it. At the end of the array, moves past it.
  public mutating func nextElement() throws(JSONFailure) -> Bool {
    try nextIsPresent(before: UInt8(ascii: "]"))
  }

  private mutating func nextIsPresent(before bracket: UInt8) throws(JSONFailure) -> Bool {
    guard index < bytes.count, index != given else { throw JSONFailure(.unexpectedKind, at: index) }
    if bytes[index] == UInt8(ascii: ",") { advance(to: index &+ 1) }
    guard index < bytes.count else { throw JSONFailure(.unexpectedKind, at: index) }
    guard bytes[index] == bracket else {
      given = index
      return true
    }
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

  /// Returns the nearest `Double`. A number that is too large becomes infinity, which callers must reject.
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

  /// Returns the next value's bytes, unchanged.
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
        // The number or literal ends before the first byte that can't be a part of it.
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

  /// Moves to `end` and past whitespace, so that the next step starts at a value or a punctuation mark.
  private mutating func advance(to end: Int) {
    index = JSONScanner.whitespaceEnd(in: bytes, from: min(end, bytes.count))
  }
}

/// A string or a key. It refers to the bytes of the JSON text.
public struct JSONString {
  /// The bytes between the quotes, with escapes.
  public let raw: UnsafeRawBufferPointer
  public let hasEscapes: Bool

  /// Calls `body` with the unescaped bytes. They are copied only if the string has escapes.
  public func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard hasEscapes else { return try body(raw) }
    return try JSONScanner.unescaped(raw).span.withUnsafeBytes(body)
  }

  public var text: Text {
    withBytes { bytes in Text(uncheckedUTF8: bytes) }
  }

  /// Allows `case "shape":` in a switch over a key.
  public static func ~= (text: StaticString, string: JSONString) -> Bool {
    let text = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    guard string.hasEscapes else {
      return string.raw.count == text.count && ByteOrder.compare(string.raw, text) == 0
    }
    return string.withBytes { bytes in ByteOrder.compare(bytes, text) == 0 }
  }
}
