/// Writes numbers of a few bits each, packed without gaps. The lowest bit of the lowest byte comes first.
struct BitWriter {
  private var pending: UInt64 = 0
  private var pendingCount: UInt64 = 0

  /// An upper bound on the bits of one write. Up to seven earlier bits may not fill a byte yet, and together with them
  /// the bits must fit into a word of 64.
  static let widthMax = 56

  @inline(__always)
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

  static func width(of greatest: UInt64) -> Int { 64 - greatest.leadingZeroBitCount }
}

/// Reads what a `BitWriter` has written. Its only state is how many bits of the next byte have been read.
struct BitReader {
  private var bitsRead: UInt64 = 0

  /// Reads a number. `width` must be at most `BitWriter.widthMax`. The number's first byte can also hold up to seven
  /// bits of the previous number. These bits and the number must fit into a 64-bit word together.
  @inline(__always)
  mutating func read(width: Int, from reader: inout ByteReader) throws(BinaryFailure) -> UInt64 {
    let word = reader.next64() &>> bitsRead
    let width = UInt64(truncatingIfNeeded: width)
    guard bitsRead &+ width <= UInt64(truncatingIfNeeded: reader.remaining) &* 8 else { throw .truncated }
    skip(width, of: &reader)
    return word & ((1 &<< width) &- 1)
  }

  /// Skips up to `most` zero bits, and returns how many it has skipped.
  @inline(__always)
  mutating func readZeros(atMost most: Int, from reader: inout ByteReader) -> Int {
    let zeros = (reader.next64() &>> bitsRead).trailingZeroBitCount
    let count = min(min(zeros, most), min(reader.remaining, 8) &* 8 &- Int(truncatingIfNeeded: bitsRead))
    skip(UInt64(truncatingIfNeeded: count), of: &reader)
    return count
  }

  @inline(__always)
  private mutating func skip(_ bits: UInt64, of reader: inout ByteReader) {
    let end = bitsRead &+ bits
    reader.offset &+= Int(truncatingIfNeeded: end &>> 3)
    bitsRead = end & 7
  }

  /// Skips the rest of the last byte, whose bits must all be zero.
  mutating func finish(_ reader: inout ByteReader) throws(BinaryFailure) {
    guard bitsRead > 0 else { return }
    guard UInt64(try reader.byte()) &>> bitsRead == 0 else { throw .malformed("bits behind the last value") }
    bitsRead = 0
  }
}

extension ByteReader {
  /// The next eight bytes, or fewer at the end. They are not consumed.
  @inline(__always)
  fileprivate func next64() -> UInt64 {
    guard remaining >= 8 else { return last64() }
    return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  @inline(never)
  private func last64() -> UInt64 {
    var word: UInt64 = 0
    for index in 0..<remaining { word |= UInt64(bytes[offset &+ index]) &<< UInt64(truncatingIfNeeded: index &* 8) }
    return word
  }
}
