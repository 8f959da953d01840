/// Skips strings, and decodes their escapes.
extension JSONScanner {
  /// Checks the string that starts at `start`. Returns the offset after its closing quote.
  static func stringEnd(
    in bytes: UnsafeRawBufferPointer,
    from start: Int,
    quotes: JSONQuotes
  ) throws(JSONFailure) -> Int {
    let quote = bytes[start]
    var index = start &+ 1
    while true {
      index = plainEnd(in: bytes, from: index, quote: quote)
      guard index < bytes.count else { throw JSONFailure(.endOfText, at: index) }
      let byte = bytes[index]
      if byte == quote { return index &+ 1 }
      if byte == UInt8(ascii: "\\") {
        index = try escapeEnd(in: bytes, from: index, quotes: quotes)
      } else if byte >= 0x80 {
        let length = UTF8Validation.sequenceLength(in: bytes, at: index, end: bytes.count)
        guard length > 0 else { throw JSONFailure(.malformedUTF8, at: index) }
        index &+= length
      } else {
        throw JSONFailure(.controlCharacter, at: index)
      }
    }
  }

  /// Skips ASCII characters that are not escapes or quotes, eight bytes at a time where possible.
  static func plainEnd(in bytes: UnsafeRawBufferPointer, from start: Int, quote: UInt8) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = ones &* UInt64(quote)
    let backslashes = ones &* UInt64(UInt8(ascii: "\\"))
    var index = start
    while bytes.count &- index >= 8 {
      let eight = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      // In the result, a byte's high bit is set if the byte was 0 (a match), below 0x20, or not ASCII. A borrow can
      // also set the bit of the byte above a match. This is harmless, because the eight bytes are then checked one by
      // one.
      let quoteMatch = (eight ^ quotes) &- ones
      let backslashMatch = (eight ^ backslashes) &- ones
      let control = eight &- ones &* 0x20
      if (quoteMatch | backslashMatch | control | eight) & UTF8Validation.highBits != 0 { break }
      index &+= 8
    }
    while index < bytes.count {
      let byte = bytes[index]
      if byte == quote || byte == UInt8(ascii: "\\") || byte < 0x20 || byte >= 0x80 { break }
      index &+= 1
    }
    return index
  }

  /// The offset after the escape that starts with the backslash at `start`.
  private static func escapeEnd(
    in bytes: UnsafeRawBufferPointer,
    from start: Int,
    quotes: JSONQuotes
  ) throws(JSONFailure) -> Int {
    guard start &+ 1 < bytes.count else { throw JSONFailure(.endOfText, at: bytes.count) }
    switch bytes[start &+ 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return start &+ 2
    case UInt8(ascii: "'") where quotes == .doubleOrSingle:
      return start &+ 2
    case UInt8(ascii: "u"):
      guard let unit = codeUnit(in: bytes, at: start) else { throw JSONFailure(.malformedEscape, at: start) }
      if unit & 0xF800 != 0xD800 { return start &+ 6 }
      guard unit < 0xDC00, let low = codeUnit(in: bytes, at: start &+ 6), low & 0xFC00 == 0xDC00 else {
        throw JSONFailure(.loneSurrogate, at: start)
      }
      return start &+ 12
    default:
      throw JSONFailure(.malformedEscape, at: start)
    }
  }

  /// The UTF-16 code unit of the `\uXXXX` at `start`, or `nil` if it is not such an escape.
  private static func codeUnit(in bytes: UnsafeRawBufferPointer, at start: Int) -> UInt32? {
    guard bytes.count &- start >= 6, bytes[start] == UInt8(ascii: "\\"), bytes[start &+ 1] == UInt8(ascii: "u") else {
      return nil
    }
    var unit: UInt32 = 0
    for index in (start &+ 2)..<(start &+ 6) {
      let byte = bytes[index]
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte &- UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte &- UInt8(ascii: "a") &+ 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte &- UInt8(ascii: "A") &+ 10
      default: return nil
      }
      unit = unit << 4 | UInt32(digit)
    }
    return unit
  }

  /// Decodes the escapes in a checked string without its quotes. The result is never longer than the input.
  static func unescaped(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: bytes.count) { room, count in
      var index = 0
      while index < bytes.count {
        let byte = bytes[index]
        guard byte == UInt8(ascii: "\\"), index &+ 1 < bytes.count else {
          room[count] = byte
          count &+= 1
          index &+= 1
          continue
        }
        let escape = bytes[index &+ 1]
        if escape != UInt8(ascii: "u") {
          room[count] = character(escapedAs: escape)
          count &+= 1
          index &+= 2
          continue
        }
        var scalar = codeUnit(in: bytes, at: index) ?? 0xFFFD
        index = min(index &+ 6, bytes.count)
        if scalar & 0xFC00 == 0xD800, let low = codeUnit(in: bytes, at: index) {
          scalar = 0x1_0000 &+ (scalar & 0x3FF) << 10 &+ (low & 0x3FF)
          index &+= 6
        }
        count = write(scalar, to: room, at: count)
      }
    }
  }

  private static func character(escapedAs byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: byte
    }
  }

  /// Writes a scalar's UTF-8, and returns the offset after it. There is always enough space, because an escape is
  /// longer than its character.
  private static func write(_ scalar: UInt32, to room: UnsafeMutableBufferPointer<UInt8>, at start: Int) -> Int {
    let continuation = { (shift: UInt32) in UInt8(truncatingIfNeeded: scalar >> shift & 0x3F) | 0x80 }
    switch scalar {
    case ..<0x80:
      room[start] = UInt8(truncatingIfNeeded: scalar)
      return start &+ 1
    case ..<0x800:
      room[start] = UInt8(truncatingIfNeeded: scalar >> 6) | 0xC0
      room[start &+ 1] = continuation(0)
      return start &+ 2
    case ..<0x1_0000:
      room[start] = UInt8(truncatingIfNeeded: scalar >> 12) | 0xE0
      room[start &+ 1] = continuation(6)
      room[start &+ 2] = continuation(0)
      return start &+ 3
    default:
      room[start] = UInt8(truncatingIfNeeded: scalar >> 18) | 0xF0
      room[start &+ 1] = continuation(12)
      room[start &+ 2] = continuation(6)
      room[start &+ 3] = continuation(0)
      return start &+ 4
    }
  }
}
