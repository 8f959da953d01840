/// The fraction that an `OrderKey` represents, as base-62 digits for arithmetic. Each digit is 0…61, and the first one
/// counts 62nds.
struct OrderFraction {
  static let base: UInt64 = 62

  private(set) var digits: [UInt8]

  init(_ key: OrderKey) {
    digits = key.text.withBytes { bytes in bytes.map { OrderFraction.digit(ofByte: $0) ?? 0 } }
  }

  private init(digits: [UInt8]) {
    self.digits = digits
  }

  static var zero: OrderFraction { OrderFraction(digits: []) }

  /// The digit at `index`. All digits after the last stored one are 0.
  func digit(at index: Int) -> UInt8 {
    index < digits.count ? digits[index] : 0
  }

  /// How many digits at the start of the fraction equal `digit`.
  func leadingCount(of digit: UInt8) -> Int {
    digits.prefix { $0 == digit }.count
  }

  /// The fraction, cut or padded to `length` digits, plus `steps` units of the last digit. `nil` if the sum would be 1
  /// or more.
  func adding(_ steps: UInt64, atLength length: Int) -> OrderFraction? {
    var sum = resized(to: length)
    var carry = steps
    var index = length
    while carry > 0, index > 0 {
      index -= 1
      carry += UInt64(sum[index])
      sum[index] = UInt8(carry % OrderFraction.base)
      carry /= OrderFraction.base
    }
    return carry == 0 ? OrderFraction(digits: sum) : nil
  }

  /// The fraction, cut or padded to `length` digits, minus `steps` units of the last digit. `nil` if the difference
  /// would be 0 or less.
  func subtracting(_ steps: UInt64, atLength length: Int) -> OrderFraction? {
    var difference = resized(to: length)
    var borrow = steps
    var index = length
    while borrow > 0, index > 0 {
      index -= 1
      let subtrahend = UInt8(borrow % OrderFraction.base)
      borrow /= OrderFraction.base
      if difference[index] < subtrahend {
        difference[index] += UInt8(OrderFraction.base)
        borrow += 1
      }
      difference[index] -= subtrahend
    }
    guard borrow == 0, difference.contains(where: { $0 != 0 }) else { return nil }
    return OrderFraction(digits: difference)
  }

  private func resized(to length: Int) -> [UInt8] {
    (0..<length).map { digit(at: $0) }
  }

  /// The key for this fraction, without trailing zeros. The fraction must be greater than 0.
  var key: OrderKey {
    var length = digits.count
    while length > 0, digits[length - 1] == 0 { length -= 1 }
    let text = Text(capacity: length) { room in
      for index in 0..<length { room[index] = OrderFraction.byte(ofDigit: digits[index]) }
      return length
    }
    return OrderKey(unchecked: text)
  }

  // MARK: - Digits

  static func digit(ofByte byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 36
    default: nil
    }
  }

  private static func byte(ofDigit digit: UInt8) -> UInt8 {
    switch digit {
    case ..<10: digit + UInt8(ascii: "0")
    case ..<36: digit - 10 + UInt8(ascii: "A")
    default: digit - 36 + UInt8(ascii: "a")
    }
  }
}
