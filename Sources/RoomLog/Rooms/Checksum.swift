/// An FNV-1a 64 checksum. The checksum of a row shows whether the row is as it was stored.
///
/// Each step is a bijection of the state, so a change of one byte always changes the sum. The checksum protects against
/// a faulty disk, but not against an adversary.
struct Checksum {
  private(set) var value: UInt64

  /// - Parameter value: a checksum that this one continues.
  init(after value: UInt64 = 0xCBF2_9CE4_8422_2325) { self.value = value }

  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    var value = value
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    self.value = value
  }

  /// Adds the number's eight bytes, the lowest first.
  mutating func add(_ number: UInt64) {
    withUnsafeBytes(of: number.littleEndian) { add($0) }
  }

  mutating func add(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { add($0) }
  }

  mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
  }
}
