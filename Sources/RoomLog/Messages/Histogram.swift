/// Counts values by size: for each bound, how many values were at most the bound and greater than the bound before.
public struct Histogram: Hashable, Sendable {
  /// Which bounds a histogram has.
  public enum Scale: Hashable, Sendable {
    /// Each bound is twice the one before, from 1 to 131,072.
    case counts
    /// Durations in microseconds, from 0.1 ms to 10 s. Each bound is at most 21 % above the one before. So the middle
    /// between two bounds is within 10 % of every value that was counted there. So a median or a 99th percentile that
    /// is read from these counts is within 10 % of the true one.
    case microseconds

    public var bounds: [UInt64] {
      switch self {
      case .counts: Scale.doublings
      case .microseconds: Scale.durations
      }
    }

    private static let doublings: [UInt64] = (0..<18).map { 1 << $0 }

    /// Thirteen bounds for each factor of ten. Round numbers are among them, because alarms are set to round numbers.
    private static let durations: [UInt64] = {
      let decades: [UInt64] = [1, 10, 100, 1_000, 10_000]
      let steps: [UInt64] = [100, 120, 145, 175, 210, 250, 300, 360, 430, 500, 600, 710, 850]
      return decades.flatMap { decade in steps.map { $0 * decade } } + [10_000_000]
    }()
  }

  public let scale: Scale
  /// One count for each bound, and a last one for values above all bounds.
  public private(set) var counts: [UInt64]
  public private(set) var sum: UInt64 = 0

  public init(_ scale: Scale) {
    self.scale = scale
    counts = [UInt64](repeating: 0, count: scale.bounds.count + 1)
  }

  public mutating func add(_ value: UInt64) {
    let bounds = scale.bounds
    var low = 0
    var high = bounds.count
    while low < high {
      let middle = (low + high) / 2
      if bounds[middle] < value { low = middle + 1 } else { high = middle }
    }
    counts[low] += 1
    sum &+= value
  }
}
