/// The FNV-1a 64 checksum of bytes.
///
/// Each step is a bijection of the state, so changing one byte always changes the checksum. It tells one
/// version of a file from another, and shows what a faulty disk has changed, but not what an attacker has.
public struct Checksum {
  public private(set) var value: UInt64

  /// - Parameter value: the checksum of the bytes so far, to continue from.
  public init(after value: UInt64 = 0xCBF2_9CE4_8422_2325) { self.value = value }

  public init(of bytes: [UInt8]) {
    self.init()
    add(bytes)
  }

  public mutating func add(_ bytes: UnsafeRawBufferPointer) {
    var value = value
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    self.value = value
  }

  /// Adds the number's eight bytes, the lowest byte first.
  public mutating func add(_ number: UInt64) {
    withUnsafeBytes(of: number.littleEndian) { add($0) }
  }

  public mutating func add(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { add($0) }
  }

  public mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
  }
}
