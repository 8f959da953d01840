/// Counts durations by size, to tell percentiles. The larger a duration, the wider its bucket. So the counts stay small,
/// and a percentile is at most 1/64 too large.
public struct Percentiles: Hashable, Sendable {
  private static let stepsPerDoubling = 64

  private var counts: [Int] = []
  public private(set) var count = 0
  public private(set) var largest: UInt64 = 0

  public init() {}

  public mutating func add(_ value: UInt64) {
    let place = Percentiles.place(of: value)
    if place >= counts.count { counts += Array(repeating: 0, count: place + 1 - counts.count) }
    counts[place] += 1
    count += 1
    largest = max(largest, value)
  }

  /// A percentile. For example, 0.99 gives the duration that 99 % of all durations don't exceed.
  public subscript(part: Double) -> UInt64 {
    var left = max(1, Int((part * Double(count)).rounded(.up)))
    for (place, some) in counts.enumerated() {
      left -= some
      if left <= 0 { return min(Percentiles.upperBound(of: place), largest) }
    }
    return largest
  }

  /// The index of a value's bucket. Each small value has its own bucket. Larger values share a bucket if their seven
  /// highest bits are equal.
  private static func place(of value: UInt64) -> Int {
    guard value >= UInt64(stepsPerDoubling) else { return Int(value) }
    let doublings = 63 - value.leadingZeroBitCount - stepsPerDoubling.trailingZeroBitCount
    return doublings * stepsPerDoubling + Int(value >> UInt64(doublings))
  }

  private static func upperBound(of place: Int) -> UInt64 {
    guard place >= stepsPerDoubling else { return UInt64(place) }
    let doublings = place / stepsPerDoubling - 1
    let step = UInt64(place - doublings * stepsPerDoubling)
    return (step + 1) << UInt64(doublings) - 1
  }
}
