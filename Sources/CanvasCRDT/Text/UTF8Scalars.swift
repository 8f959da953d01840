/// Reads characters from UTF-8 that has been checked already.
enum UTF8Scalars {
  /// The scalar at `place`, and the place of the next one.
  static func read(_ bytes: UnsafeRawBufferPointer, at place: Int) -> (scalar: UInt32, next: Int) {
    let first = UInt32(bytes[place])
    let count = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    guard count > 1, place + count <= bytes.count else { return (first, place + 1) }
    var scalar = first & (0xFF >> UInt32(count + 1))
    for index in 1..<count { scalar = scalar << 6 | UInt32(bytes[place + index]) & 0x3F }
    return (scalar, place + count)
  }
}
