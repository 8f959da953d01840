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

/// Reads what a `BitWriter` wrote.
struct BitReader {
  private var pending: UInt64 = 0
  private var pendingCount: UInt64 = 0

  #if !hasFeature(Embedded)
    @inline(__always)
  #endif
  mutating func read(width: Int, from reader: inout ByteReader) throws(BinaryFailure) -> UInt64 {
    while pendingCount < UInt64(width) {
      pending |= UInt64(try reader.byte()) << pendingCount
      pendingCount &+= 8
    }
    let value = pending & ((1 << UInt64(width)) &- 1)
    pending >>= UInt64(width)
    pendingCount &-= UInt64(width)
    return value
  }

  /// Whether `count` values of `width` bits can still be there, asked before anything is made for them.
  static func holds(_ count: Int, width: Int, in reader: ByteReader) -> Bool {
    width == 0 || count <= (reader.remaining &* 8 &+ 7) / width
  }

  /// Passes over the rest of the last byte, which has to be zeros.
  mutating func finish() throws(BinaryFailure) {
    guard pending == 0 else { throw .malformed("bits behind the last value") }
    pendingCount = 0
  }
}
