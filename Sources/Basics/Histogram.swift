/// Counts values by size. Each count is for the values above one bound and up to the next.
public struct Histogram: Hashable, Sendable {
  /// The bounds of a histogram.
  public enum Scale: Hashable, Sendable {
    /// Each bound is twice the one before, from 1 to 131,072.
    case counts
    /// Durations in microseconds, from 0.1 ms to 10 s. Each bound is at most 21 % above the one before. So a median or
    /// a 99th percentile that is read from the counts is within 10 % of the true one.
    case microseconds

    public var bounds: [UInt64] {
      switch self {
      case .counts: Scale.doublings
      case .microseconds: Scale.durations
      }
    }

    private static let doublings: [UInt64] = (0..<18).map { 1 << $0 }

    /// Thirteen bounds for each factor of ten. They include round numbers, because alarm thresholds are usually round.
    private static let durations: [UInt64] = {
      let decades: [UInt64] = [1, 10, 100, 1_000, 10_000]
      let steps: [UInt64] = [100, 120, 145, 175, 210, 250, 300, 360, 430, 500, 600, 710, 850]
      return decades.flatMap { decade in steps.map { $0 * decade } } + [10_000_000]
    }()
  }

  public let scale: Scale
  /// One count for each bound, then one for all values above the largest bound.
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
