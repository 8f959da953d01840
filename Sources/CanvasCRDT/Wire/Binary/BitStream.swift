/// Numbers of a few bits each, packed without gaps, the lowest bit of the lowest byte first. Opened in place natively,
/// called in core.wasm, as with `ByteWriter`.
struct BitWriter {
  private var pending: UInt64 = 0
  private var pendingCount: UInt64 = 0

  /// Up to 56 bits at once, so that they and what waits for its byte fit in a word.
  static let widthMax = 56

  #if !hasFeature(Embedded)
    @inline(__always)
  #endif
  mutating func write(_ value: UInt64, width: Int, to writer: inout ByteWriter) {
    assert(width <= BitWriter.widthMax && (width == 64 || value >> UInt64(width) == 0))
    pending |= value << pendingCount
    pendingCount &+= UInt64(width)
    writer.append(upTo: 8) { room in
      room.storeBytes(of: pending.littleEndian, as: UInt64.self)
      return Int(pendingCount >> 3)
    }
    let whole = pendingCount & ~7
    pending = whole == 64 ? 0 : pending >> whole
    pendingCount &= 7
  }

  /// Fills the last byte with zeros.
  mutating func finish(to writer: inout ByteWriter) {
    if pendingCount > 0 { writer.append(UInt8(truncatingIfNeeded: pending)) }
    pending = 0
    pendingCount = 0
  }

  /// How many bits the values up to `greatest` need.
  static func width(of greatest: UInt64) -> Int { 64 - greatest.leadingZeroBitCount }
}

/// Reads what a `BitWriter` wrote. It keeps no bits of its own, only how many of the reader's next byte it has read.
struct BitReader {
  private var bitsRead: UInt64 = 0

  /// `width` is at most `BitWriter.widthMax`, so that the value and what was read of its first byte are in one word.
  #if !hasFeature(Embedded)
    @inline(__always)
  #endif
  mutating func read(width: Int, from reader: inout ByteReader) throws(BinaryFailure) -> UInt64 {
    let word: UInt64
    let end = bitsRead &+ UInt64(truncatingIfNeeded: width)
    if reader.remaining >= 8 {
      word = reader.next64()
    } else {
      guard end <= UInt64(reader.remaining &* 8) else { throw .truncated }
      word = reader.last64()
    }
    reader.skip(Int(truncatingIfNeeded: end &>> 3))
    let value = (word &>> bitsRead) & ((1 &<< UInt64(truncatingIfNeeded: width)) &- 1)
    bitsRead = end & 7
    return value
  }

  /// Passes over the rest of the last byte, which has to be zeros.
  mutating func finish(_ reader: inout ByteReader) throws(BinaryFailure) {
    guard bitsRead > 0 else { return }
    guard try reader.byte() >> UInt8(bitsRead) == 0 else { throw .malformed("bits behind the last value") }
    bitsRead = 0
  }
}

extension ByteReader {
  /// The next eight bytes, of which there are as many, without passing over them.
  @inline(__always)
  fileprivate func next64() -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// The bytes that are left, fewer than eight.
  @inline(never)
  fileprivate func last64() -> UInt64 {
    var word: UInt64 = 0
    for index in 0..<remaining { word |= UInt64(bytes[offset &+ index]) << UInt64(index * 8) }
    return word
  }

  /// Passes over bytes that have been looked at.
  @inline(__always)
  fileprivate mutating func skip(_ count: Int) { offset &+= count }
}
