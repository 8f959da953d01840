/// The fewest decimal digits that read back as the same number, and among those the nearest to it, after Steele and
/// White. The number, and half the distance to each of its neighbours, are fractions with one long denominator. Exact
/// digits are taken until the rest can't matter.
///
/// The standard library's own are the same digits, found faster, by ten kilobytes of core.wasm. A page prints numbers
/// only to tell two values of one stamp apart, or to say them as JSON.
struct ShortestDigits {
  /// 0…9, the first of them not 0.
  private(set) var digits: [UInt8] = []

  /// How many of the digits come before the point; less than 0 if zeros come between the point and the digits.
  private(set) var pointPlace = 1

  private var rest: LongInteger
  private var denominator: LongInteger
  private var halfUp: LongInteger
  private var halfDown: LongInteger

  /// Whether the significand is even: the middle between two numbers reads back as the even one.
  private let isEven: Bool

  /// `magnitude` is finite and more than 0.
  init(of magnitude: Double) {
    precondition(magnitude > 0 && magnitude.isFinite, "only what has digits")
    let fraction = magnitude.bitPattern & (1 << 52 - 1)
    let biased = Int(magnitude.bitPattern >> 52)
    let significand = biased == 0 ? fraction : fraction | 1 << 52
    let exponent = max(biased, 1) - 1_075
    // Below a power of two, numbers are half as far apart.
    let isLopsided = fraction == 0 && biased > 1
    isEven = significand & 1 == 0
    // Everything is multiplied by four, so that a quarter of a step is whole.
    rest = LongInteger(significand << 2)
    denominator = LongInteger(4)
    halfUp = LongInteger(2)
    halfDown = LongInteger(isLopsided ? 1 : 2)
    if exponent >= 0 {
      rest.shiftLeft(by: exponent)
      halfUp.shiftLeft(by: exponent)
      halfDown.shiftLeft(by: exponent)
    } else {
      denominator.shiftLeft(by: -exponent)
    }
    while reaches(denominator, times: 10) {
      denominator.multiply(by: 10)
      pointPlace += 1
    }
    while !reaches(denominator, times: 1) {
      shift()
      pointPlace -= 1
    }
    while appendDigit() { shift() }
  }

  @inline(never)
  private mutating func shift() {
    rest.multiply(by: 10)
    halfUp.multiply(by: 10)
    halfDown.multiply(by: 10)
  }

  /// Whether the range that reads back as the number reaches this far.
  @inline(never)
  private func reaches(_ bound: LongInteger, times factor: UInt32) -> Bool {
    var sum = rest
    sum.add(halfUp)
    var bound = bound
    bound.multiply(by: factor)
    return isEven ? !sum.isLess(than: bound) : bound.isLess(than: sum)
  }

  /// Appends a digit. Returns whether another is needed after it.
  private mutating func appendDigit() -> Bool {
    var digit: UInt8 = 0
    while rest.subtractIfNotLess(denominator) { digit += 1 }
    let isNear = isEven ? !halfDown.isLess(than: rest) : rest.isLess(than: halfDown)
    let isNextNear = reaches(denominator, times: 1)
    // If two digits are equally near, take the even one.
    var twice = rest
    twice.add(rest)
    let isOverHalf = digit & 1 == 0 ? denominator.isLess(than: twice) : !twice.isLess(than: denominator)
    if isNextNear, !isNear || isOverHalf { digit += 1 }
    digits.append(digit)
    return !isNear && !isNextNear
  }
}
