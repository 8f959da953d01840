/// Numbers in the format of JSON and ECMAScript: `45`, `0.1`, `1e+21`, `1e-7`.
///
/// A number is written with the fewest digits that read back as the same number. So a page, a bot and the server write
/// the same text for a value.
public enum NumberText {
  /// An upper bound on the length. The longest text has 25 characters: `-0.0000012345678901234567`.
  public static let lengthMax = 32

  /// Writes `value` and returns how many bytes were written. `bytes` must have room for the longest text.
  ///
  /// As in `JSON.stringify`, minus zero is `0`, and infinity and NaN are `null`.
  @inlinable
  public static func write(_ value: Double, to bytes: UnsafeMutableRawBufferPointer) -> Int {
    precondition(bytes.count >= lengthMax, "a number's text may take thirty-two bytes")
    let magnitude = value.magnitude
    var length = 0
    if value < 0 {
      bytes[0] = UInt8(ascii: "-")
      length = 1
    }
    // Below 2⁵³ every integer is exact, and all its digits are needed.
    if magnitude < 9_007_199_254_740_992 {
      let integer = UInt64(magnitude)
      if Double(integer) == magnitude { return writeDigits(of: integer, to: bytes, at: length) }
    }
    // Below 10¹², a text with three decimals has at most fifteen digits. Different texts of at most fifteen digits read
    // back as different numbers. So if this text reads back as the number, it is the shortest text.
    if magnitude < 1e12 {
      let thousandths = UInt64(magnitude * 1_000 + 0.5)
      if Double(thousandths) / 1_000 == magnitude {
        return writeThousandths(thousandths, to: bytes, at: length)
      }
    }
    return writeShortest(magnitude, to: bytes, at: length)
  }

  /// Writes the digits of an integer at `start`, and returns the offset after them.
  @inlinable
  @inline(__always)
  public static func writeDigits(of value: UInt64, to bytes: UnsafeMutableRawBufferPointer, at start: Int) -> Int {
    if value < 10 {
      bytes[start] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value)
      return start &+ 1
    }
    var end = start &+ 2
    var bound: UInt64 = 100
    // A number has at most twenty digits. The loop stops there, so that `bound` doesn't overflow.
    while value >= bound {
      end &+= 1
      if end &- start == 20 { break }
      bound &*= 10
    }
    // Writes eight digits at a time from the end. So a timestamp takes two short chains of dependent divisions instead
    // of one long chain.
    var rest = value
    var index = end
    while rest >= 100_000_000 {
      let (quotient, low) = rest.quotientAndRemainder(dividingBy: 100_000_000)
      writeEight(UInt32(truncatingIfNeeded: low), to: bytes, at: index &- 8)
      index &-= 8
      rest = quotient
    }
    var short = UInt32(truncatingIfNeeded: rest)
    while index > start {
      let (quotient, digit) = short.quotientAndRemainder(dividingBy: 10)
      index &-= 1
      bytes[index] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: digit)
      short = quotient
    }
    return end
  }

  @inlinable
  @inline(__always)
  static func writeEight(_ value: UInt32, to bytes: UnsafeMutableRawBufferPointer, at start: Int) {
    let (high, low) = value.quotientAndRemainder(dividingBy: 10_000)
    writeFour(high, to: bytes, at: start)
    writeFour(low, to: bytes, at: start &+ 4)
  }

  @inlinable
  @inline(__always)
  static func writeFour(_ value: UInt32, to bytes: UnsafeMutableRawBufferPointer, at start: Int) {
    let (high, low) = value.quotientAndRemainder(dividingBy: 100)
    bytes[start] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: high / 10)
    bytes[start &+ 1] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: high % 10)
    bytes[start &+ 2] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: low / 10)
    bytes[start &+ 3] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: low % 10)
  }

  @usableFromInline
  static func writeThousandths(_ value: UInt64, to bytes: UnsafeMutableRawBufferPointer, at start: Int) -> Int {
    let whole = value / 1_000
    var end = writeDigits(of: whole, to: bytes, at: start)
    let fraction = value &- whole &* 1_000
    bytes[end] = UInt8(ascii: ".")
    bytes[end &+ 1] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: fraction / 100)
    bytes[end &+ 2] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: fraction / 10 % 10)
    bytes[end &+ 3] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: fraction % 10)
    end &+= 4
    while bytes[end &- 1] == UInt8(ascii: "0") { end &-= 1 }
    return end
  }

  // MARK: - Any number

  /// Writes any number with the fewest digits, in the format of ECMAScript's Number::toString.
  @usableFromInline
  @inline(never)
  static func writeShortest(_ magnitude: Double, to bytes: UnsafeMutableRawBufferPointer, at start: Int) -> Int {
    guard magnitude.isFinite else {
      let null: StaticString = "null"
      return move(UnsafeRawBufferPointer(start: null.utf8Start, count: 4), to: bytes, at: 0)
    }
    // The digits are first written behind the space for `0.00000`, the longest prefix. So writing the prefix overwrites
    // no digits.
    let gathered = start + 7
    let (count, pointPlace) = gatherDigits(of: magnitude, to: bytes, at: gathered)
    let digits = UnsafeRawBufferPointer(rebasing: bytes[gathered..<(gathered + count)])
    var end = start
    switch pointPlace {
    case -5...0:
      end = put(UInt8(ascii: "0"), to: bytes, at: end)
      end = put(UInt8(ascii: "."), to: bytes, at: end)
      for _ in 0..<(-pointPlace) { end = put(UInt8(ascii: "0"), to: bytes, at: end) }
      return move(digits, to: bytes, at: end)
    case 1...21:
      let whole = min(count, pointPlace)
      end = move(UnsafeRawBufferPointer(rebasing: digits[..<whole]), to: bytes, at: end)
      for _ in whole..<pointPlace { end = put(UInt8(ascii: "0"), to: bytes, at: end) }
      guard count > pointPlace else { return end }
      end = put(UInt8(ascii: "."), to: bytes, at: end)
      return move(UnsafeRawBufferPointer(rebasing: digits[whole...]), to: bytes, at: end)
    default:
      end = put(digits[0], to: bytes, at: end)
      if count > 1 {
        end = put(UInt8(ascii: "."), to: bytes, at: end)
        end = move(UnsafeRawBufferPointer(rebasing: digits[1...]), to: bytes, at: end)
      }
      end = put(UInt8(ascii: "e"), to: bytes, at: end)
      end = put(pointPlace > 0 ? UInt8(ascii: "+") : UInt8(ascii: "-"), to: bytes, at: end)
      return writeDigits(of: UInt64((pointPlace - 1).magnitude), to: bytes, at: end)
    }
  }

  /// Splits Swift's own shortest text of a number, such as `12.5` or `1.25e-07`, into its digits and the position of
  /// the decimal point.
  private static func gatherDigits(
    of magnitude: Double,
    to bytes: UnsafeMutableRawBufferPointer,
    at start: Int
  ) -> (count: Int, pointPlace: Int) {
    let description = magnitude.description
    return description.utf8.span.withUnsafeBytes { text in
      var count = 0
      var pointPlace = 0
      var seenPoint = false
      var exponent = 0
      for (index, byte) in text.enumerated() {
        if byte == UInt8(ascii: ".") {
          seenPoint = true
        } else if byte == UInt8(ascii: "e") {
          exponent = exponentValue(UnsafeRawBufferPointer(rebasing: text[(index + 1)...]))
          break
        } else if byte != UInt8(ascii: "0") || count > 0 {
          if start + count < bytes.count { bytes[start + count] = byte }
          count += 1
          if !seenPoint { pointPlace += 1 }
        } else if seenPoint {
          pointPlace -= 1
        }
      }
      // An integer above 2⁵³ may end with zeros. They are dropped, so that only significant digits are counted.
      while count > 1, bytes[start + count - 1] == UInt8(ascii: "0") { count -= 1 }
      return (count, pointPlace + exponent)
    }
  }

  private static func exponentValue(_ text: UnsafeRawBufferPointer) -> Int {
    var value = 0
    for byte in text where byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") {
      value = value * 10 + Int(byte - UInt8(ascii: "0"))
    }
    return text.first == UInt8(ascii: "-") ? -value : value
  }

  private static func put(_ byte: UInt8, to bytes: UnsafeMutableRawBufferPointer, at index: Int) -> Int {
    bytes[index] = byte
    return index + 1
  }

  /// Copies digits. The two ranges may overlap.
  private static func move(
    _ digits: UnsafeRawBufferPointer,
    to bytes: UnsafeMutableRawBufferPointer,
    at index: Int
  ) -> Int {
    UnsafeMutableRawBufferPointer(rebasing: bytes[index..<(index + digits.count)])
      .copyMemory(from: digits)
    return index + digits.count
  }
}

extension ByteWriter {
  /// Writes a number in JSON's format.
  @inlinable
  public mutating func appendNumber(_ value: Double) {
    append(upTo: NumberText.lengthMax) { NumberText.write(value, to: $0) }
  }

  @inlinable
  public mutating func appendNumber(_ value: UInt64) {
    append(upTo: NumberText.lengthMax) { NumberText.writeDigits(of: value, to: $0, at: 0) }
  }
}
