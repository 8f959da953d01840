/// A histogram of durations, exact to 1/64. Adding a duration must take only nanoseconds, because each operation adds
/// one for each receiver.
struct Histogram {
  private static let fineBits = 6
  private var counts = [UInt64](repeating: 0, count: 64 << Histogram.fineBits)
  private(set) var count: UInt64 = 0
  private(set) var largest: UInt64 = 0

  mutating func add(_ nanoseconds: UInt64) {
    counts[Histogram.place(of: nanoseconds)] &+= 1
    count &+= 1
    if nanoseconds > largest { largest = nanoseconds }
  }

  private static func place(of value: UInt64) -> Int {
    guard value >= 1 << fineBits else { return Int(value) }
    let exponent = 63 - value.leadingZeroBitCount - fineBits
    return (exponent + 1) << fineBits + Int(value >> UInt64(exponent)) - 1 << fineBits
  }

  /// The smallest duration in the bucket at this index.
  private static func value(of place: Int) -> UInt64 {
    guard place >= 1 << fineBits else { return UInt64(place) }
    let exponent = place >> fineBits - 1
    return UInt64(place & (1 << fineBits - 1) + 1 << fineBits) << UInt64(exponent)
  }

  /// A percentile in milliseconds. For example, 0.99 gives the duration that 99 % of all durations don't exceed.
  func milliseconds(at share: Double) -> Double {
    let wanted = UInt64((Double(count) * share).rounded(.up))
    var seen: UInt64 = 0
    for place in counts.indices where counts[place] > 0 {
      seen += counts[place]
      if seen >= wanted { return Double(Histogram.value(of: place)) / 1e6 }
    }
    return 0
  }

  func report(to result: inout ResultLine, as name: String) {
    result.add("\(name)P50Milliseconds", milliseconds(at: 0.5))
    result.add("\(name)P99Milliseconds", milliseconds(at: 0.99))
    result.add("\(name)P999Milliseconds", milliseconds(at: 0.999))
    result.add("\(name)MaxMilliseconds", Double(largest) / 1e6)
  }
}
