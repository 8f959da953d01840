/// A decimal number as a long integer and a power of ten, with all digits that affect rounding.
///
/// Any number halfway between two `Double`s can be written with 767 digits. Digits after the first 800 only decide on
/// which side of such a number the value lies, so one digit can replace them all. This limits the work for any text.
struct LongDecimal {
  private var integer = LongInteger()
  private var exponent: Int64
  private var digitCount: Int64 = 0

  private static let digitsMax: Int64 = 800

  init(digitsOf number: DecimalNumber, in bytes: UnsafeRawBufferPointer) {
    // Here, the exponent is the power of ten by which the integer of all digits is multiplied.
    exponent = number.exponent
    var significant: Int64 = 0
    var dropped: Int64 = 0
    var hasMore = false
    for index in number.digits where bytes[index] != UInt8(ascii: ".") {
      let digit = bytes[index] &- UInt8(ascii: "0")
      if digit == 0, significant == 0 { continue }
      significant += 1
      if significant <= LongDecimal.digitsMax {
        integer.multiply(by: 10, adding: UInt32(digit))
      } else {
        dropped += 1
        if digit != 0 { hasMore = true }
      }
    }
    digitCount = significant - dropped
    // `DecimalNumber.exponent` is for the first nineteen digits only.
    exponent -= max(0, digitCount - 19)
    if hasMore {
      integer.multiply(by: 10, adding: 1)
      digitCount += 1
      exponent -= 1
    }
  }

  func rounded() -> Double {
    // A number of at least 10³¹⁰ exceeds the greatest `Double`, and a number below 10⁻³²⁴ rounds to zero.
    if digitCount + exponent > 310 { return .infinity }
    if digitCount + exponent < -324 { return 0 }
    let exponent = Int(exponent)
    var numerator = integer
    if exponent >= 0 {
      numerator.multiply(byFiveTo: exponent)
      let (significand, shift, hasMore) = numerator.leadingBits()
      return Double(significand: significand, exponent: exponent + shift, hasMore: hasMore)
    }
    var denominator = LongInteger(1)
    denominator.multiply(byFiveTo: -exponent)
    // Both numbers are shifted to the same length in bits, so their quotient is between a half and two. Each further
    // step then gives one bit of the quotient.
    let shift = denominator.bitWidth - numerator.bitWidth
    if shift > 0 { numerator.shiftLeft(by: shift) } else { denominator.shiftLeft(by: -shift) }
    var quotient: UInt64 = 0
    var steps = 0
    while quotient >> 63 == 0 {
      quotient <<= 1
      if numerator.subtractIfNotLess(denominator) { quotient |= 1 }
      numerator.shiftLeft(by: 1)
      steps += 1
    }
    return Double(
      significand: quotient,
      exponent: exponent - shift - (steps - 1),
      hasMore: !numerator.isZero
    )
  }
}

/// An unsigned integer of any size, in words of 32 bits. The lowest word comes first, and the highest is not zero.
struct LongInteger {
  private var words: [UInt32] = []

  init(_ value: UInt64 = 0) {
    words = [UInt32(truncatingIfNeeded: value), UInt32(truncatingIfNeeded: value >> 32)]
    dropZeros()
  }

  private mutating func dropZeros() {
    while words.last == 0 { words.removeLast() }
  }

  var isZero: Bool { words.isEmpty }

  var bitWidth: Int {
    guard let highest = words.last else { return 0 }
    return words.count * 32 - highest.leadingZeroBitCount
  }

  mutating func multiply(by factor: UInt32, adding addend: UInt32 = 0) {
    var carry = UInt64(addend)
    for index in words.indices {
      carry += UInt64(words[index]) * UInt64(factor)
      words[index] = UInt32(truncatingIfNeeded: carry)
      carry >>= 32
    }
    if carry != 0 { words.append(UInt32(truncatingIfNeeded: carry)) }
  }

  mutating func multiply(byFiveTo exponent: Int) {
    var rest = exponent
    while rest >= 13 {
      multiply(by: 1_220_703_125)  // 5¹³, the greatest power in a word
      rest -= 13
    }
    for _ in 0..<rest { multiply(by: 5) }
  }

  mutating func shiftLeft(by bits: Int) {
    guard !isZero, bits > 0 else { return }
    let wordShift = bits / 32
    let bitShift = UInt32(bits % 32)
    if bitShift > 0 {
      var carry: UInt32 = 0
      for index in words.indices {
        let word = words[index]
        words[index] = word << bitShift | carry
        carry = word >> (32 - bitShift)
      }
      if carry != 0 { words.append(carry) }
    }
    if wordShift > 0 { words = [UInt32](repeating: 0, count: wordShift) + words }
  }

  /// Subtracts `other`, unless `other` is greater than this number. Returns whether it was subtracted.
  mutating func subtractIfNotLess(_ other: LongInteger) -> Bool {
    if isLess(than: other) { return false }
    var borrow: Int64 = 0
    for index in words.indices {
      let subtrahend = index < other.words.count ? Int64(other.words[index]) : 0
      let difference = Int64(words[index]) - subtrahend + borrow
      words[index] = UInt32(truncatingIfNeeded: difference)
      borrow = difference >> 32
    }
    dropZeros()
    return true
  }

  func isLess(than other: LongInteger) -> Bool {
    if words.count != other.words.count { return words.count < other.words.count }
    var index = words.count - 1
    while index >= 0, words[index] == other.words[index] { index -= 1 }
    return index >= 0 && words[index] < other.words[index]
  }

  /// The highest 64 bits, shifted so that their first bit is set; the power of two by which they have to be multiplied;
  /// and whether any lower bit is set.
  func leadingBits() -> (significand: UInt64, exponent: Int, hasMore: Bool) {
    let exponent = bitWidth - 64
    var significand: UInt64 = 0
    var hasMore = false
    for (index, word) in words.enumerated() where word != 0 {
      let place = index * 32 - exponent
      if place >= 0 {
        significand |= UInt64(word) << UInt64(place)
      } else if place > -32 {
        significand |= UInt64(word) >> UInt64(-place)
        if word & ((1 << UInt32(-place)) - 1) != 0 { hasMore = true }
      } else {
        hasMore = true
      }
    }
    return (significand, exponent, hasMore)
  }
}
