/// Rounds a decimal number to the nearest `Double`, with ties to even. The result is exact for any number of digits.
///
/// There are three methods, and each is exact where it is used:
/// - Short numbers need one floating-point operation (Clinger).
/// - Up to nineteen digits with a power of ten within ±27 need one multiplication or division of 128 bits. Numbers from
///   pages and bots are of this kind.
/// - All other numbers are computed with long integers of limited size.
extension DecimalNumber {
  /// The nearest `Double`. `bytes` must be the bytes from which the number was read.
  func rounded(from bytes: UnsafeRawBufferPointer) -> Double {
    let magnitude = roundedMagnitude(from: bytes)
    return isNegative ? -magnitude : magnitude
  }

  private func roundedMagnitude(from bytes: UnsafeRawBufferPointer) -> Double {
    guard significand != 0 else { return 0 }
    if !isCut, significand <= 1 << 53, exponent >= -22, exponent <= 22 {
      let power = DecimalNumber.powersOfTen[Int(exponent.magnitude)]
      return exponent < 0 ? Double(significand) / power : Double(significand) * power
    }
    if exponent >= -27, exponent <= 27 {
      let below = DecimalNumber.roundedProduct(of: significand, timesTenTo: Int(exponent))
      // If digits were cut off, the exact number lies between this significand and the next one. Usually both round to
      // the same `Double`.
      if !isCut || below == DecimalNumber.roundedProduct(of: significand + 1, timesTenTo: Int(exponent)) {
        return below
      }
    }
    return LongDecimal(digitsOf: self, in: bytes).rounded()
  }

  private static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
  ]

  /// The powers of five from 5⁰ to 5²⁷, the largest that fits into 63 bits.
  private static let powersOfFive: [UInt64] = [
    1, 5, 25, 125, 625, 3_125, 15_625, 78_125, 390_625, 1_953_125, 9_765_625, 48_828_125, 244_140_625, 1_220_703_125,
    6_103_515_625, 30_517_578_125, 152_587_890_625, 762_939_453_125, 3_814_697_265_625, 19_073_486_328_125,
    95_367_431_640_625, 476_837_158_203_125, 2_384_185_791_015_625, 11_920_928_955_078_125, 59_604_644_775_390_625,
    298_023_223_876_953_125, 1_490_116_119_384_765_625, 7_450_580_596_923_828_125,
  ]

  /// `significand` × 10^`exponent`, rounded, for exponents from −27 to 27. It is computed from the exact product, or
  /// from the exact quotient and its remainder.
  private static func roundedProduct(of significand: UInt64, timesTenTo exponent: Int) -> Double {
    let five = powersOfFive[abs(exponent)]
    if exponent >= 0 {
      var (high, low) = significand.multipliedFullWidth(by: five)
      if high == 0 {
        let shift = low.leadingZeroBitCount
        return Double(significand: low << UInt64(shift), exponent: exponent - shift, hasMore: false)
      }
      let shift = high.leadingZeroBitCount
      if shift > 0 {
        high = high << UInt64(shift) | low >> UInt64(64 - shift)
        low <<= UInt64(shift)
      }
      return Double(significand: high, exponent: exponent + 64 - shift, hasMore: low != 0)
    }
    // Both numbers have their highest bit set, so (2⁶³ × dividend) / divisor fits into 64 bits.
    let shift = significand.leadingZeroBitCount
    let fiveShift = five.leadingZeroBitCount
    let dividend = significand << UInt64(shift)
    var (quotient, remainder) = (five << UInt64(fiveShift)).dividingFullWidth((dividend >> 1, dividend << 63))
    var exponent = exponent + fiveShift - shift - 63
    if quotient >> 63 == 0 {
      // The new lowest bit should come from the remainder. But it is far below the bits that decide the rounding, and
      // ties are decided by the remainder. So 0 is good enough.
      quotient <<= 1
      exponent -= 1
    }
    return Double(significand: quotient, exponent: exponent, hasMore: remainder != 0)
  }
}

extension Double {
  /// `significand` × 2^`exponent`, rounded to nearest, with ties to even. `hasMore` means that the exact number is
  /// slightly greater than this product.
  ///
  /// The significand's highest bit must be set.
  init(significand: UInt64, exponent: Int, hasMore: Bool) {
    let leadingExponent = exponent + 63
    if leadingExponent > 1_023 {
      self = .infinity
      return
    }
    // 53 bits of the significand are kept, or fewer for a subnormal number.
    let isNormal = leadingExponent >= -1_022
    let dropped = isNormal ? 11 : 11 + (-1_022 - leadingExponent)
    if dropped > 64 {
      self = 0
      return
    }
    let kept = dropped == 64 ? 0 : significand >> UInt64(dropped)
    let rest = dropped == 64 ? significand : significand & ((1 << UInt64(dropped)) - 1)
    let half: UInt64 = 1 << UInt64(dropped - 1)
    let roundsUp = rest > half || (rest == half && (hasMore || kept & 1 == 1))
    // If rounding up overflows the significand, the carry increments the exponent. This is correct, even when the
    // result is infinity.
    let biased = isNormal ? UInt64(leadingExponent + 1_022) << 52 : 0
    self = Double(bitPattern: biased + kept + (roundsUp ? 1 : 0))
  }
}
