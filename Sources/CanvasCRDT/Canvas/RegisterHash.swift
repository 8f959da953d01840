/// The hashes behind a canvas's digest: FNV-1a 64 of the text `shape property stamp`, mixed, and added up modulo 2⁶⁴.
///
/// FNV alone hardly mixes the last characters of a text, so different registers would often have equal sums. For
/// example, two pairs of registers whose stamps are a millisecond apart have equal sums in one case of a hundred. So
/// each hash is mixed, as in MurmurHash3, before it is added.
///
/// FNV is slow because its step for a byte has to wait for the multiplication of the byte before. So up to four texts
/// are hashed side by side, which takes little longer than hashing one.
struct RegisterHash: ~Copyable {
  /// The sum of all hashes that were added, minus those that were removed.
  private(set) var sum: UInt64 = 0

  /// The hash of the shape's identifier and a space. The texts of all the shape's registers begin with these.
  private let prefix: UInt64

  private var texts = InlineArray<256, UInt8>(repeating: 0)
  private var lengths = InlineArray<4, Int>(repeating: 0)
  private var signs = InlineArray<4, UInt64>(repeating: 0)
  private var laneCount = 0

  /// The stamp of the previous register, whose text is reused if the next register has the same stamp.
  private var lastStamp: Stamp = .never
  private var lastStampStart = 0
  private var lastStampLength = 0

  private static let laneLength = 64
  private static let basis: UInt64 = 0xCBF2_9CE4_8422_2325
  private static let prime: UInt64 = 0x0000_0100_0000_01B3

  @inline(__always)
  init(shape: Identifier) {
    var text = InlineArray<16, UInt8>(repeating: UInt8(ascii: " "))
    var hash = RegisterHash.basis
    withUnsafeMutableBytes(of: &text) { bytes in
      shape.write(to: bytes)
      for index in 0...Identifier.textLength { hash = (hash ^ UInt64(bytes[index])) &* RegisterHash.prime }
    }
    prefix = hash
  }

  mutating func add(_ property: Property, at stamp: Stamp) {
    enter(property, at: stamp, sign: 1)
  }

  mutating func subtract(_ property: Property, at stamp: Stamp) {
    enter(property, at: stamp, sign: UInt64.max)
  }

  /// Texts are hashed in groups of four. This hashes the last group, which can have fewer texts. To be called once,
  /// before `sum` is read.
  mutating func finish() {
    if laneCount > 0 { flush() }
  }

  private mutating func enter(_ property: Property, at stamp: Stamp, sign: UInt64) {
    if laneCount == 4 { flush() }
    let start = laneCount * RegisterHash.laneLength
    let name = property.wireName
    let nameLength = name.utf8CodeUnitCount
    let stampStart = start + nameLength + 1
    withUnsafeMutableBytes(of: &texts) { bytes in
      let lane = UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
      lane.copyMemory(from: UnsafeRawBufferPointer(start: name.utf8Start, count: nameLength))
      lane[nameLength] = UInt8(ascii: " ")
      let place = UnsafeMutableRawBufferPointer(rebasing: bytes[stampStart...])
      if lastStampLength > 0, lastStamp == stamp {
        place.copyMemory(
          from: UnsafeRawBufferPointer(rebasing: bytes[lastStampStart..<lastStampStart + lastStampLength])
        )
      } else {
        lastStampLength = stamp.write(to: place)
        lastStamp = stamp
      }
    }
    lastStampStart = stampStart
    lengths[laneCount] = nameLength + 1 + lastStampLength
    signs[laneCount] = sign
    laneCount += 1
  }

  /// Mixes a hash. The mapping is one to one, and each bit of the result depends on all bits of the hash.
  @inline(__always)
  private static func mixed(_ hash: UInt64) -> UInt64 {
    var mixed = hash
    mixed = (mixed ^ (mixed >> 33)) &* 0xFF51_AFD7_ED55_8CCD
    mixed = (mixed ^ (mixed >> 33)) &* 0xC4CE_B9FE_1A85_EC53
    return mixed ^ (mixed >> 33)
  }

  private mutating func flush() {
    var hash0 = prefix
    var hash1 = prefix
    var hash2 = prefix
    var hash3 = prefix
    let prime = RegisterHash.prime
    withUnsafeBytes(of: &texts) { bytes in
      var common = lengths[0]
      for lane in 1..<max(laneCount, 1) { common = min(common, lengths[lane]) }
      // Hashes all texts up to the length of the shortest one. If a position has no text, old bytes are hashed, and the
      // result is not used.
      var index = 0
      if laneCount > 2 {
        while index < common {
          hash0 = (hash0 ^ UInt64(bytes[index])) &* prime
          hash1 = (hash1 ^ UInt64(bytes[64 + index])) &* prime
          hash2 = (hash2 ^ UInt64(bytes[128 + index])) &* prime
          hash3 = (hash3 ^ UInt64(bytes[192 + index])) &* prime
          index += 1
        }
      } else {
        while index < common {
          hash0 = (hash0 ^ UInt64(bytes[index])) &* prime
          hash1 = (hash1 ^ UInt64(bytes[64 + index])) &* prime
          index += 1
        }
      }
      for lane in 0..<laneCount {
        var hash =
          switch lane {
          case 0: hash0
          case 1: hash1
          case 2: hash2
          default: hash3
          }
        var rest = common
        while rest < lengths[lane] {
          hash = (hash ^ UInt64(bytes[lane * RegisterHash.laneLength + rest])) &* prime
          rest += 1
        }
        sum &+= RegisterHash.mixed(hash) &* signs[lane]
      }
    }
    laneCount = 0
  }
}
