/// Checks UTF-8 strictly (RFC 3629). Unlike the standard library's check, it gives the same result everywhere and needs
/// no Unicode tables.
///
/// It rejects stray continuation bytes, incomplete sequences, overlong forms, surrogates and everything above U+10FFFF.
@usableFromInline
enum UTF8Validation {
  /// The high bit of each of eight bytes. If none of these bits is set, the bytes are eight ASCII characters.
  @usableFromInline static let highBits: UInt64 = 0x8080_8080_8080_8080

  /// The offset of the first malformed sequence. `nil` if all of `bytes` is UTF-8.
  @usableFromInline
  static func firstMalformed(in bytes: UnsafeRawBufferPointer) -> Int? {
    let end = bytes.count
    var index = 0
    while index < end {
      if end &- index >= 8 {
        let eight = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        if eight & highBits == 0 {
          index &+= 8
          continue
        }
      }
      if bytes[index] < 0x80 {
        index &+= 1
        continue
      }
      let length = sequenceLength(in: bytes, at: index, end: end)
      if length == 0 { return index }
      index &+= length
    }
    return nil
  }

  /// The length of the multi-byte sequence at `index`, from 2 to 4. 0 if the sequence is malformed or extends beyond
  /// `end`.
  @usableFromInline
  static func sequenceLength(in bytes: UnsafeRawBufferPointer, at index: Int, end: Int) -> Int {
    let first = bytes[index]
    let length: Int
    // Overlong forms, surrogates and values that are too large are recognised by the range of the second byte.
    var secondRange: ClosedRange<UInt8> = 0x80...0xBF
    switch first {
    case 0xC2...0xDF: length = 2
    case 0xE0: (length, secondRange) = (3, 0xA0...0xBF)
    case 0xED: (length, secondRange) = (3, 0x80...0x9F)
    case 0xE1...0xEF: length = 3
    case 0xF0: (length, secondRange) = (4, 0x90...0xBF)
    case 0xF1...0xF3: length = 4
    case 0xF4: (length, secondRange) = (4, 0x80...0x8F)
    default: return 0
    }
    guard end &- index >= length, secondRange.contains(bytes[index &+ 1]) else { return 0 }
    var next = 2
    while next < length {
      if bytes[index &+ next] & 0xC0 != 0x80 { return 0 }
      next &+= 1
    }
    return length
  }
}
