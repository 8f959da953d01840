/// Checks JSON (RFC 8259) strictly: the whole text, its UTF-8 and its escapes, in one pass and without recursion.
///
/// `JSONReader` reads a text that has passed this check without further checks.
public enum JSONScanner {
  /// How deep objects and arrays may be nested. Messages need seven levels; presence and other values that are passed
  /// on unread may have more. The limit bounds the memory, because each open bracket takes one bit.
  public static let depthMax = 128

  /// Throws if the text is not one value with only whitespace around it.
  public static func validate(
    _ bytes: UnsafeRawBufferPointer,
    quotes: JSONQuotes = .double,
    depthMax: Int = JSONScanner.depthMax
  ) throws(JSONFailure) {
    var open = OpenContainers()
    let depthMax = min(depthMax, OpenContainers.countMax)
    var index = whitespaceEnd(in: bytes, from: 0)
    while true {
      // Here a value starts.
      guard index < bytes.count else { throw JSONFailure(.endOfText, at: index) }
      switch bytes[index] {
      case UInt8(ascii: "{"):
        guard open.count < depthMax else { throw JSONFailure(.tooDeep, at: index) }
        index = whitespaceEnd(in: bytes, from: index &+ 1)
        guard index < bytes.count else { throw JSONFailure(.endOfText, at: index) }
        if bytes[index] != UInt8(ascii: "}") {
          open.push(isObject: true)
          index = try keyEnd(in: bytes, from: index, quotes: quotes)
          continue
        }
        index &+= 1
      case UInt8(ascii: "["):
        guard open.count < depthMax else { throw JSONFailure(.tooDeep, at: index) }
        index = whitespaceEnd(in: bytes, from: index &+ 1)
        guard index < bytes.count else { throw JSONFailure(.endOfText, at: index) }
        if bytes[index] != UInt8(ascii: "]") {
          open.push(isObject: false)
          continue
        }
        index &+= 1
      default:
        index = try scalarEnd(in: bytes, from: index, quotes: quotes)
      }

      // A value has ended here, and the containers around it can end too.
      while true {
        index = whitespaceEnd(in: bytes, from: index)
        if open.count == 0 {
          guard index == bytes.count else { throw JSONFailure(.trailingBytes, at: index) }
          return
        }
        guard index < bytes.count else { throw JSONFailure(.endOfText, at: index) }
        let byte = bytes[index]
        if byte == UInt8(ascii: ",") {
          index = whitespaceEnd(in: bytes, from: index &+ 1)
          if open.isInObject { index = try keyEnd(in: bytes, from: index, quotes: quotes) }
          break
        }
        guard byte == (open.isInObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
          throw JSONFailure(.unexpectedByte, at: index)
        }
        open.pop()
        index &+= 1
      }
    }
  }

  /// The offset of the first byte at or after `start` that isn't whitespace.
  @inlinable
  static func whitespaceEnd(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    var index = start
    while index < bytes.count {
      let byte = bytes[index]
      guard byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { break }
      index &+= 1
    }
    return index
  }

  /// Skips a key, its colon and the whitespace around the colon.
  private static func keyEnd(
    in bytes: UnsafeRawBufferPointer,
    from start: Int,
    quotes: JSONQuotes
  ) throws(JSONFailure) -> Int {
    guard start < bytes.count else { throw JSONFailure(.endOfText, at: start) }
    guard isQuote(bytes[start], quotes) else { throw JSONFailure(.unexpectedByte, at: start) }
    let colon = whitespaceEnd(in: bytes, from: try stringEnd(in: bytes, from: start, quotes: quotes))
    guard colon < bytes.count else { throw JSONFailure(.endOfText, at: colon) }
    guard bytes[colon] == UInt8(ascii: ":") else { throw JSONFailure(.unexpectedByte, at: colon) }
    return whitespaceEnd(in: bytes, from: colon &+ 1)
  }

  /// Skips a string, a number or a literal.
  private static func scalarEnd(
    in bytes: UnsafeRawBufferPointer,
    from start: Int,
    quotes: JSONQuotes
  ) throws(JSONFailure) -> Int {
    switch bytes[start] {
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      var index = start
      guard DecimalNumber(reading: bytes, at: &index) != nil else { throw JSONFailure(.malformedNumber, at: index) }
      return index
    case UInt8(ascii: "t"): return try literalEnd("true", in: bytes, from: start)
    case UInt8(ascii: "f"): return try literalEnd("false", in: bytes, from: start)
    case UInt8(ascii: "n"): return try literalEnd("null", in: bytes, from: start)
    case let byte where isQuote(byte, quotes): return try stringEnd(in: bytes, from: start, quotes: quotes)
    default: throw JSONFailure(.unexpectedByte, at: start)
    }
  }

  private static func isQuote(_ byte: UInt8, _ quotes: JSONQuotes) -> Bool {
    byte == UInt8(ascii: "\"") || (byte == UInt8(ascii: "'") && quotes == .doubleOrSingle)
  }

  private static func literalEnd(
    _ literal: StaticString,
    in bytes: UnsafeRawBufferPointer,
    from start: Int
  ) throws(JSONFailure) -> Int {
    for offset in 0..<literal.utf8CodeUnitCount {
      guard start &+ offset < bytes.count else { throw JSONFailure(.endOfText, at: bytes.count) }
      guard bytes[start &+ offset] == literal.utf8Start[offset] else {
        throw JSONFailure(.unexpectedByte, at: start &+ offset)
      }
    }
    return start &+ literal.utf8CodeUnitCount
  }
}

/// One bit for each open container, which says whether it is an object or an array.
private struct OpenContainers {
  static let countMax = 128

  private(set) var count = 0
  private var inner: UInt64 = 0
  private var outer: UInt64 = 0

  var isInObject: Bool { inner & 1 == 1 }

  mutating func push(isObject: Bool) {
    outer = outer << 1 | inner >> 63
    inner = inner << 1 | (isObject ? 1 : 0)
    count &+= 1
  }

  mutating func pop() {
    inner = inner >> 1 | outer << 63
    outer >>= 1
    count &-= 1
  }
}
