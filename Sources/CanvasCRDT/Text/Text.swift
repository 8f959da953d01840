/// Text that is its UTF-8 bytes: compared, ordered and hashed by them, and by nothing else.
///
/// A `String` takes canonically equivalent texts for equal, which needs Unicode's tables and would let two replicas
/// with different tables disagree about what a register holds. Up to fifteen bytes (ten on wasm32) take no
/// allocation.
public struct Text: Sendable {
  public let string: String

  @inlinable
  public init(_ string: String) {
    var string = string
    string.makeContiguousUTF8()
    self.string = string
  }

  public init(_ text: StaticString) {
    self.init(uncheckedUTF8: UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Nothing where the bytes are not UTF-8.
  public init?(utf8 bytes: UnsafeRawBufferPointer) {
    guard UTF8Validation.firstMalformed(in: bytes) == nil else { return nil }
    self.init(uncheckedUTF8: bytes)
  }

  /// For bytes that have been checked already.
  init(uncheckedUTF8 bytes: UnsafeRawBufferPointer) {
    string = String(unsafeUninitializedCapacity: bytes.count) { buffer in
      UnsafeMutableRawBufferPointer(buffer).copyMemory(from: bytes)
      return bytes.count
    }
  }

  @inlinable public var utf8Count: Int { string.utf8.count }
  @inlinable public var isEmpty: Bool { string.utf8.isEmpty }

  /// The bytes, for as long as `body` runs.
  @inlinable
  public func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // There always is contiguous storage, see `init`. Several times as fast as the span or `withUTF8`.
    let outcome = string.utf8.withContiguousStorageIfAvailable { bytes -> Swift.Result<Result, Failure> in
      do throws(Failure) {
        return .success(try body(UnsafeRawBufferPointer(bytes)))
      } catch {
        return .failure(error)
      }
    }
    return try outcome!.get()
  }

  public func appending(_ other: Text) -> Text {
    Text(string + other.string)
  }
}

extension Text: ExpressibleByStringLiteral {
  @inlinable
  public init(stringLiteral value: String) {
    self.init(value)
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
    // No byte of UTF-8 is 0xFF, so that two texts in a row hash differently where they are split differently.
    hasher.combine(0xFF as UInt8)
  }
}

extension Text: Comparable {
  @inlinable
  public static func < (left: Text, right: Text) -> Bool {
    left.withBytes { left in right.withBytes { right in ByteOrder.compare(left, right) < 0 } }
  }
}

/// Bytes in the order of `memcmp`, then the shorter first.
@usableFromInline
enum ByteOrder {
  /// Less than, equal to or greater than 0, as `left` is before, the same as or after `right`.
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
