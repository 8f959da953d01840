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
    // Both numbers are shifted so that the denominator fills its words, and the numerator has one bit less. So the
    // quotient is between a quarter and one, and three words of it have at least 64 bits from the first set bit on.
    let width = (max(numerator.bitWidth + 1, denominator.bitWidth) + 31) / 32 * 32
    let shift = width - 1 - numerator.bitWidth - (width - denominator.bitWidth)
    numerator.shiftLeft(by: width - 1 - numerator.bitWidth)
    denominator.shiftLeft(by: width - denominator.bitWidth)
    let words = (0..<3).map { _ in
      numerator.shiftLeft(by: 32)
      return numerator.remainder(dividingBy: denominator)
    }
    var quotient = UInt64(words[0]) << 32 | UInt64(words[1])
    var rest = words[2]
    var binaryExponent = exponent - shift - 64
    if quotient >> 63 == 0 {
      quotient = quotient << 1 | UInt64(rest >> 31)
      rest <<= 1
      binaryExponent -= 1
    }
    return Double(significand: quotient, exponent: binaryExponent, hasMore: rest != 0 || !numerator.isZero)
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

  /// Leaves the remainder of a division, and returns the quotient. The quotient must fit in a word, and the highest bit
  /// of the divisor's highest word must be set.
  mutating func remainder(dividingBy divisor: LongInteger) -> UInt32 {
    let count = divisor.words.count
    guard words.count >= count else { return 0 }
    while words.count <= count { words.append(0) }
    // The quotient of the highest words is the right one, or up to two greater (Knuth's algorithm D).
    let highest = UInt64(words[count]) << 32 | UInt64(words[count - 1])
    var quotient = min(highest / UInt64(divisor.words[count - 1]), UInt64(UInt32.max))
    var borrow: UInt64 = 0
    for index in 0..<count {
      borrow += quotient * UInt64(divisor.words[index])
      let subtrahend = UInt32(truncatingIfNeeded: borrow)
      borrow = borrow >> 32 + (words[index] < subtrahend ? 1 : 0)
      words[index] &-= subtrahend
    }
    var isNegative = UInt64(words[count]) < borrow
    words[count] &-= UInt32(truncatingIfNeeded: borrow)
    while isNegative {
      quotient -= 1
      var carry: UInt64 = 0
      for index in 0...count {
        carry += UInt64(words[index]) + (index < count ? UInt64(divisor.words[index]) : 0)
        words[index] = UInt32(truncatingIfNeeded: carry)
        carry >>= 32
      }
      isNegative = carry == 0
    }
    dropZeros()
    return UInt32(quotient)
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
