/// A histogram of latencies whose buckets are wider for longer times. So it stays small, and a percentile is at most
/// 1/32 off.
struct LatencyHistogram: Hashable, Sendable {
  private static let stepsPerDoubling = 32

  private var counts: [Int] = []
  private(set) var count = 0
  private(set) var microsecondsMax: UInt64 = 0

  mutating func add(microseconds: UInt64) {
    let place = LatencyHistogram.place(of: microseconds)
    if place >= counts.count { counts += Array(repeating: 0, count: place + 1 - counts.count) }
    counts[place] += 1
    count += 1
    microsecondsMax = max(microsecondsMax, microseconds)
  }

  /// A percentile. For example, 0.99 gives the latency that 99 % of the answers didn't exceed.
  func microseconds(atPart part: Double) -> UInt64 {
    guard count > 0 else { return 0 }
    var left = max(1, Int((part * Double(count)).rounded(.up)))
    for (place, some) in counts.enumerated() {
      left -= some
      if left <= 0 { return min(LatencyHistogram.upperBound(of: place), microsecondsMax) }
    }
    return microsecondsMax
  }

  /// The index of a value's bucket. Each small value has its own bucket. Larger values share a bucket if their six
  /// highest bits are equal.
  private static func place(of value: UInt64) -> Int {
    guard value >= UInt64(stepsPerDoubling) else { return Int(value) }
    let doublings = 63 - value.leadingZeroBitCount - 5
    return doublings * stepsPerDoubling + Int(value >> UInt64(doublings))
  }

  private static func upperBound(of place: Int) -> UInt64 {
    guard place >= stepsPerDoubling else { return UInt64(place) }
    let doublings = place / stepsPerDoubling - 1
    let step = UInt64(place - doublings * stepsPerDoubling)
    return (step + 1) << UInt64(doublings) - 1
  }
}
