/// Counts how long answers took, in classes that get wider as the times get longer. So the counts of a whole day fit
/// into a page of memory, and a percentile is wrong by at most a thirty-second of its value.
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

  /// A percentile: the time within which this share of the answers came.
  func microseconds(atPart part: Double) -> UInt64 {
    guard count > 0 else { return 0 }
    var left = max(1, Int((part * Double(count)).rounded(.up)))
    for (place, some) in counts.enumerated() {
      left -= some
      if left <= 0 { return min(LatencyHistogram.upperBound(of: place), microsecondsMax) }
    }
    return microsecondsMax
  }

  /// The class of a value. Each small value has its own class. Larger values share a class if their six highest bits
  /// are the same.
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
