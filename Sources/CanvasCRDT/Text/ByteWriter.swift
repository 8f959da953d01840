/// Writes bytes, for both encodings.
///
/// The array is kept larger than the written part, so that new bytes are written into it in place. Its bounds and its
/// uniqueness are then checked once for a whole value rather than for each byte.
public struct ByteWriter: Sendable {
  /// The written bytes, followed by unused zeros.
  @usableFromInline var storage: [UInt8]
  @usableFromInline var written: Int

  @inlinable
  public init(capacity: Int = 0) {
    storage = capacity > 0 ? [UInt8](repeating: 0, count: capacity) : []
    written = 0
  }

  @inlinable public var count: Int { written }

  /// A copy of the written bytes. `finish()` returns them without a copy.
  public var bytes: [UInt8] { [UInt8](storage[..<written]) }

  /// Returns the written bytes without copying them, and consumes the writer.
  public consuming func finish() -> [UInt8] {
    storage.removeLast(storage.count - written)
    return storage
  }

  @inlinable
  public func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try storage.span.extracting(0..<written).withUnsafeBytes(body)
  }

  @inlinable
  public mutating func reserve(_ additional: Int) {
    if storage.count &- written < additional { grow(additional) }
  }

  @usableFromInline
  @inline(never)
  mutating func grow(_ additional: Int) {
    let wanted = max(written + additional, storage.count * 2, 64)
    storage = [UInt8](unsafeUninitializedCapacity: wanted) { room, count in
      storage.withUnsafeBytes { UnsafeMutableRawBufferPointer(room).copyMemory(from: $0) }
      room[storage.count...].update(repeating: 0)
      count = wanted
    }
  }

  /// Lets `body` write up to `maximum` bytes in place. `body` returns how many it wrote.
  @inlinable
  @inline(__always)
  public mutating func append(upTo maximum: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int) {
    reserve(maximum)
    let start = written
    let added = storage.withUnsafeMutableBytes { bytes in
      body(UnsafeMutableRawBufferPointer(rebasing: bytes[start..<(start &+ maximum)]))
    }
    assert(added >= 0 && added <= maximum, "what was written passes the room that was asked for")
    written = start &+ added
  }
}

extension ByteWriter {
  @inlinable
  public mutating func append(_ byte: UInt8) {
    reserve(1)
    storage[written] = byte
    written &+= 1
  }

  @inlinable
  public mutating func append(_ bytes: UnsafeRawBufferPointer) {
    append(upTo: bytes.count) { room in
      room.copyMemory(from: bytes)
      return bytes.count
    }
  }

  @inlinable
  public mutating func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { append($0) }
  }

  @inlinable
  public mutating func append(_ text: StaticString) {
    append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  @inlinable
  public mutating func append(_ text: Text) {
    text.withBytes { append($0) }
  }
}

// MARK: - Integers

extension ByteWriter {
  @inlinable
  public mutating func appendLittleEndian(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.littleEndian) { append($0) }
  }

  @inlinable
  public mutating func appendBigEndian(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.bigEndian) { append($0) }
  }

  /// Writes LEB128 in its shortest form: seven bits in each byte, the lowest bits first. The high bit of a byte is set
  /// if more bytes follow.
  @inlinable
  public mutating func appendVarint(_ value: UInt64) {
    if value < 0x80 { return append(UInt8(truncatingIfNeeded: value)) }
    append(upTo: ByteReader.varintLengthMax) { room in
      var rest = value
      var index = 0
      while rest >= 0x80 {
        room[index] = UInt8(truncatingIfNeeded: rest) | 0x80
        rest >>= 7
        index &+= 1
      }
      room[index] = UInt8(truncatingIfNeeded: rest)
      return index &+ 1
    }
  }

  /// Writes a zigzag varint, which encodes 0, −1, 1, −2 as 0, 1, 2, 3. So small negative numbers are short too.
  @inlinable
  public mutating func appendSignedVarint(_ value: Int64) {
    appendVarint(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
  }
}
