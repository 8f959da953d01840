/// A text as UTF-8 bytes, which is compared, ordered and hashed by its bytes alone.
///
/// A `String` considers canonically equivalent texts equal, for which it needs Unicode's tables. Two replicas with
/// different versions of the tables could disagree about the value of a register.
public struct Text: Sendable {
  @usableFromInline let storage: TextStorage

  public static let empty: Text = ""

  @inlinable
  public init(_ string: String) {
    storage = TextStorage(string)
  }

  public init(_ text: StaticString) {
    self.init(uncheckedUTF8: UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// `nil` if the bytes are not UTF-8.
  public init?(utf8 bytes: UnsafeRawBufferPointer) {
    guard UTF8Validation.firstMalformed(in: bytes) == nil else { return nil }
    self.init(uncheckedUTF8: bytes)
  }

  /// For bytes that have been checked already.
  init(uncheckedUTF8 bytes: UnsafeRawBufferPointer) {
    self.init(capacity: bytes.count) { room in
      room.copyMemory(from: bytes)
      return bytes.count
    }
  }

  /// `write` must write at most `capacity` bytes of UTF-8 and return their number.
  init(capacity: Int, _ write: (UnsafeMutableRawBufferPointer) -> Int) {
    storage = TextStorage(capacity: capacity, write)
  }

  /// The digits of a whole number.
  init(decimal number: UInt64) {
    self.init(capacity: NumberText.lengthMax) { NumberText.writeDigits(of: number, to: $0, at: 0) }
  }

  /// A number in JSON's format.
  init(number: Double) {
    self.init(capacity: NumberText.lengthMax) { NumberText.write(number, to: $0) }
  }

  @inlinable public var utf8Count: Int { storage.count }
  @inlinable public var isEmpty: Bool { storage.count == 0 }

  @inlinable public var string: String { storage.string }

  @inlinable
  public func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try storage.withBytes(body)
  }

  public func appending(_ other: Text) -> Text {
    Text(capacity: utf8Count + other.utf8Count) { room in
      withBytes { room.copyMemory(from: $0) }
      other.withBytes { UnsafeMutableRawBufferPointer(rebasing: room[utf8Count...]).copyMemory(from: $0) }
      return utf8Count + other.utf8Count
    }
  }
}

extension Text {
  /// Whether the other text's bytes are somewhere in this one.
  func contains(_ part: Text) -> Bool {
    guard part.utf8Count <= utf8Count else { return false }
    return withBytes { bytes in
      part.withBytes { part in
        (0...(bytes.count - part.count)).contains { start in
          ByteOrder.compare(UnsafeRawBufferPointer(rebasing: bytes[start..<(start + part.count)]), part) == 0
        }
      }
    }
  }
}

extension Text: ExpressibleByStringLiteral {
  public init(stringLiteral text: StaticString) {
    self.init(text)
  }
}

extension Text: CustomStringConvertible {
  @inlinable public var description: String { string }
}

// MARK: - Equality, order and hash by bytes

extension Text: Hashable {
  @inlinable
  public static func == (left: Text, right: Text) -> Bool {
    guard left.utf8Count == right.utf8Count else { return false }
    return left.withBytes { left in right.withBytes { right in ByteOrder.compare(left, right) == 0 } }
  }

  public func hash(into hasher: inout Hasher) {
    withBytes { bytes in hasher.combine(bytes: bytes) }
    // 0xFF never occurs in UTF-8. It ends each text, so that "ab" and "c" hash differently from "a" and "bc".
    hasher.combine(0xFF as UInt8)
  }
}

extension Text: Comparable {
  @inlinable
  public static func < (left: Text, right: Text) -> Bool {
    left.withBytes { left in right.withBytes { right in ByteOrder.compare(left, right) < 0 } }
  }
}

/// Compares bytes as `memcmp` does. If one text is a prefix of the other, the shorter one comes first.
@usableFromInline
enum ByteOrder {
  /// Less than, equal to or greater than 0, like `memcmp`.
  @inlinable
  static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    let count = min(left.count, right.count)
    var index = 0
    while count &- index >= 8 {
      let a = UInt64(bigEndian: left.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      let b = UInt64(bigEndian: right.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      if a != b { return a < b ? -1 : 1 }
      index &+= 8
    }
    while index < count {
      let a = left[index]
      let b = right[index]
      if a != b { return a < b ? -1 : 1 }
      index &+= 1
    }
    return left.count &- right.count
  }
}
