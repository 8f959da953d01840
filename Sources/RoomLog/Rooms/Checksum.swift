/// The FNV-1a 64 checksum by which a damaged row is recognised.
///
/// Each step is a bijection of the state, so changing one byte always changes the checksum. It protects against a
/// faulty disk, but not against an attacker.
struct Checksum {
  private(set) var value: UInt64

  /// - Parameter value: the checksum of the bytes so far, to continue from.
  init(after value: UInt64 = 0xCBF2_9CE4_8422_2325) { self.value = value }

  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    var value = value
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    self.value = value
  }

  /// Adds the number's eight bytes, the lowest byte first.
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
