/// A decimal number in JSON's syntax, split into its parts but not yet rounded to a `Double`.
struct DecimalNumber {
  var isNegative = false
  /// The first nineteen significant digits. A number of twenty digits might not fit into 64 bits.
  var significand: UInt64 = 0
  /// The power of ten by which the significand is multiplied.
  ///
  /// The exponent is clamped. This changes no result, because a text with enough digits to compensate for such an
  /// exponent would not fit into memory.
  var exponent: Int64 = 0
  /// Whether a digit other than zero follows the first nineteen.
  var isCut = false
  /// The range in the text from the first digit to the last, with the decimal point. If the number has more than
  /// nineteen digits, this range is read again.
  var digits: Range<Int>

  private static let significantDigitsMax = 19
  private static let exponentMax: Int64 = 1 << 40

  /// Reads as far as the syntax allows. Returns `nil` if no number starts at `index`, or if the number is incomplete.
  /// In that case, `index` is left at the byte that breaks the syntax.
  init?(reading bytes: UnsafeRawBufferPointer, at index: inout Int) {
    let end = bytes.count
    if index < end, bytes[index] == UInt8(ascii: "-") {
      isNegative = true
      index &+= 1
    }
    digits = index..<index
    var significant = 0

    let integerStart = index
    while index < end, case let digit = bytes[index] &- UInt8(ascii: "0"), digit < 10 {
      if significant < DecimalNumber.significantDigitsMax {
        significand = significand &* 10 &+ UInt64(digit)
        if significand != 0 { significant &+= 1 }
      } else {
        exponent &+= 1
        if digit != 0 { isCut = true }
      }
      index &+= 1
    }
    if index == integerStart { return nil }
    if bytes[integerStart] == UInt8(ascii: "0"), index &- integerStart > 1 {
      index = integerStart &+ 1
      return nil
    }

    if index < end, bytes[index] == UInt8(ascii: ".") {
      index &+= 1
      let fractionStart = index
      while index < end, case let digit = bytes[index] &- UInt8(ascii: "0"), digit < 10 {
        if significant < DecimalNumber.significantDigitsMax {
          significand = significand &* 10 &+ UInt64(digit)
          exponent &-= 1
          if significand != 0 { significant &+= 1 }
        } else if digit != 0 {
          isCut = true
        }
        index &+= 1
      }
      if index == fractionStart { return nil }
    }
    digits = integerStart..<index

    if index < end, bytes[index] | 0x20 == UInt8(ascii: "e") {
      index &+= 1
      var isExponentNegative = false
      if index < end, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") {
        isExponentNegative = bytes[index] == UInt8(ascii: "-")
        index &+= 1
      }
      let exponentStart = index
      var written: Int64 = 0
      while index < end, case let digit = bytes[index] &- UInt8(ascii: "0"), digit < 10 {
        if written < DecimalNumber.exponentMax { written = written &* 10 &+ Int64(digit) }
        index &+= 1
      }
      if index == exponentStart { return nil }
      exponent &+= isExponentNegative ? 0 &- written : written
    }
  }
}

extension NumberText {
  /// Reads all of `bytes` as one JSON number, correctly rounded. A number that is too large becomes infinity.
  public static func parse(_ bytes: UnsafeRawBufferPointer) -> Double? {
    var index = 0
    guard let number = DecimalNumber(reading: bytes, at: &index), index == bytes.count else { return nil }
    return number.rounded(from: bytes)
  }
}
