/// Reads bytes from first to last. Invalid bytes lead to an error and never to a crash.
///
/// The reader borrows its bytes and doesn't own them. The reader and every slice that it returns must stay within the
/// `withUnsafeBytes` closure that the buffer came from, or within a function that this closure calls.
public struct ByteReader {
  public enum Failure: Error, Hashable, Sendable {
    /// The bytes end in the middle of a value.
    case truncated
    /// A varint is longer than necessary, or has more than 64 bits.
    case malformedVarint
  }

  /// The length of the longest varint: nine bytes with seven bits each, and a tenth byte with one bit.
  public static let varintLengthMax = 10

  public let bytes: UnsafeRawBufferPointer
  @usableFromInline var offset: Int

  @inlinable
  public init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    offset = 0
  }

  @inlinable public var position: Int { offset }
  @inlinable public var remaining: Int { bytes.count &- offset }
  @inlinable public var isAtEnd: Bool { offset == bytes.count }

  @inlinable
  public mutating func readByte() throws(Failure) -> UInt8 {
    guard offset < bytes.count else { throw .truncated }
    defer { offset &+= 1 }
    return bytes[offset]
  }

  /// Returns the next `count` bytes without copying them. `count` can come from untrusted input, so it can be negative
  /// or too large.
  @inlinable
  public mutating func readBytes(_ count: Int) throws(Failure) -> UnsafeRawBufferPointer {
    guard count >= 0, count <= remaining else { throw .truncated }
    defer { offset &+= count }
    return UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset &+ count)])
  }

  /// Reads a varint, and then that many bytes.
  @inlinable
  public mutating func readCountedBytes() throws(Failure) -> UnsafeRawBufferPointer {
    let count = try readVarint()
    guard count <= UInt64(remaining) else { throw .truncated }
    return try readBytes(Int(truncatingIfNeeded: count))
  }

  @inlinable
  public mutating func readLittleEndian<Value: FixedWidthInteger & BitwiseCopyable>(
    as type: Value.Type = Value.self
  ) throws(Failure) -> Value {
    Value(littleEndian: try readBytes(MemoryLayout<Value>.size).loadUnaligned(as: Value.self))
  }

  /// Reads LEB128 and rejects all but the shortest form, so that equal values always have equal bytes.
  @inlinable
  public mutating func readVarint() throws(Failure) -> UInt64 {
    guard offset < bytes.count else { throw .truncated }
    let first = bytes[offset]
    if first < 0x80 {
      offset &+= 1
      return UInt64(first)
    }
    var value = UInt64(first & 0x7F)
    var shift: UInt64 = 7
    var index = offset &+ 1
    while true {
      guard index < bytes.count else { throw .truncated }
      let byte = bytes[index]
      // In the tenth byte, only the lowest bit is allowed to be set. It is the number's 64th bit.
      if shift == 63, byte > 1 { throw .malformedVarint }
      value |= UInt64(byte & 0x7F) &<< shift
      index &+= 1
      if byte < 0x80 {
        if byte == 0 { throw .malformedVarint }
        offset = index
        return value
      }
      shift &+= 7
    }
  }
}
