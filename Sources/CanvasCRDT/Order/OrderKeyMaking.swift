/// Making new order keys: between two keys, or before the first or after the last.
///
/// Between two keys, new keys are spread evenly. They have enough digits for about 8,000 possible values per key, and
/// each key is moved at random within half of its range. So if two people insert between the same neighbours at the
/// same time, their keys nearly always differ.
///
/// After the last key, halving the remaining space would cost a digit every six keys. So the key counts upwards in
/// small random steps, as a number of four digits. When its first digit has reached `z`, the key becomes `z` and a
/// number of five digits, later `zz` and a number of six digits, and so on. That gives about 1,200 keys of four digits,
/// 150,000 of six, and ten million of eight. Before the first key, keys count downwards in the same way, with leading
/// `0` digits.
extension OrderKey {
  public enum Failure: Error, Hashable, Sendable {
    case neighboursOutOfOrder
    case indexOutOfRange
  }

  /// A key between two other keys. A `nil` on one side means that there is no key on that side. Returns `nil` if the
  /// new key would be too long.
  public static func between(
    _ lower: OrderKey?,
    _ upper: OrderKey?,
    using generator: inout some RandomNumberGenerator
  ) throws(Failure) -> OrderKey? {
    try run(of: 1, between: lower, upper, using: &generator)?.first
  }

  /// `count` keys between two other keys, in order. A `nil` on one side means that there is no key on that side.
  /// Returns `nil` if a new key would be too long.
  public static func run(
    of count: Int,
    between lower: OrderKey?,
    _ upper: OrderKey?,
    using generator: inout some RandomNumberGenerator
  ) throws(Failure) -> [OrderKey]? {
    if let lower, let upper, lower >= upper { throw .neighboursOutOfOrder }
    guard count > 0 else { return [] }
    switch (lower, upper) {
    case (nil, nil):
      // Without existing keys, the new keys take the middle half of the fractions, so that there is space on both
      // sides.
      return OrderGap(lower: firstQuarter, upper: lastQuarter).spread(count, using: &generator)
    case (let lower?, nil):
      if let keys = ascending(count, from: lower, using: &generator) { return keys }
    case (nil, let upper?):
      if let keys = descending(count, from: upper, using: &generator) { return keys }
    case (_?, _?):
      break
    }
    return OrderGap(lower: lower, upper: upper).spread(count, using: &generator)
  }

  private static let firstQuarter = OrderKey(unchecked: "F")
  private static let lastQuarter = OrderKey(unchecked: "l")

  // MARK: - Before the first or after the last

  /// The smallest step from an existing key to a new first or last key, in units of the last digit. Every step is less
  /// than twice this value.
  private static let stepMin = OrderFraction.base * OrderFraction.base

  static let digitMax: UInt8 = 61

  /// How many digits a new first or last key has. `leadingCount` says how many `0` (before the first key) or `z` (after
  /// the last key) the existing key begins with.
  static func lengthBeyond(leadingCount: Int) -> Int { 4 + 2 * leadingCount }

  private static func ascending(
    _ count: Int,
    from lower: OrderKey,
    using generator: inout some RandomNumberGenerator
  ) -> [OrderKey]? {
    var keys: [OrderKey] = []
    keys.reserveCapacity(count)
    var fraction = OrderFraction(lower)
    for _ in 0..<count {
      let length = lengthBeyond(leadingCount: fraction.leadingCount(of: digitMax))
      let step = stepMin + UInt64.random(in: 0..<stepMin, using: &generator)
      guard length <= lengthMax, let next = fraction.adding(step, atLength: length) else { return nil }
      fraction = next
      keys.append(next.key)
    }
    return keys
  }

  private static func descending(
    _ count: Int,
    from upper: OrderKey,
    using generator: inout some RandomNumberGenerator
  ) -> [OrderKey]? {
    var keys: [OrderKey] = []
    keys.reserveCapacity(count)
    var fraction = OrderFraction(upper)
    for _ in 0..<count {
      let length = lengthBeyond(leadingCount: fraction.leadingCount(of: 0))
      let step = stepMin + UInt64.random(in: 0..<stepMin, using: &generator)
      guard length <= lengthMax, let next = fraction.subtracting(step, atLength: length) else { return nil }
      fraction = next
      keys.append(next.key)
    }
    keys.reverse()
    return keys
  }
}

/// The gap between two order keys, or between a key and 0 or 1.
struct OrderGap {
  private let lower: OrderFraction
  private let upper: OrderFraction
  private let isOpenAbove: Bool

  /// The gap should have this many possible values for each new key.
  private static let roomPerKey: UInt64 = 8_192

  init(lower: OrderKey?, upper: OrderKey?) {
    self.lower = lower.map { OrderFraction($0) } ?? .zero
    self.upper = upper.map { OrderFraction($0) } ?? .zero
    isOpenAbove = upper == nil
  }

  /// The shortest length, in digits, that gives each of `count` keys `roomPerKey` possible values. It never exceeds the
  /// greatest length of a key. Also returns the width of the gap, in units of the last digit.
  func measure(for count: Int) -> (length: Int, width: UInt64) {
    let wanted = UInt64(count + 1) * OrderGap.roomPerKey
    var width: UInt64 = isOpenAbove ? 1 : 0
    var length = 0
    while length < OrderKey.lengthMax, width < wanted {
      width = width * OrderFraction.base + UInt64(upper.digit(at: length)) - UInt64(lower.digit(at: length))
      length += 1
    }
    return (length, width)
  }

  /// `count` keys, spread evenly within the gap. `nil` if the gap has too few values even for keys of the greatest
  /// length.
  func spread(_ count: Int, using generator: inout some RandomNumberGenerator) -> [OrderKey]? {
    let (length, width) = measure(for: count)
    let parts = UInt64(count + 1)
    guard width >= parts else { return nil }
    let (slot, rest) = width.quotientAndRemainder(dividingBy: parts)
    var keys: [OrderKey] = []
    keys.reserveCapacity(count)
    for number in 1...UInt64(count) {
      // A key is moved at random by up to a quarter of a slot to either side. So at least half a slot stays between
      // neighbours.
      let jitter = UInt64.random(in: 0...(slot / 2), using: &generator)
      let steps = number * slot + number * rest / parts + jitter - slot / 4
      guard let fraction = lower.adding(steps, atLength: length) else { return nil }
      keys.append(fraction.key)
    }
    return keys
  }
}
