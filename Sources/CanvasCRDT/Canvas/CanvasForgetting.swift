extension Canvas {
  /// The time to pass to `forgetErasures(before:)` so that at most `count` erasures remain. Fewer can remain: the
  /// difference is at most a sixteenth of all erasures, or more if many have the same millisecond.
  /// - Returns: `nil` if there are no more than `count` erasures.
  public func timeOfErasures(leaving count: Int) -> UInt64? {
    guard erasures.count > count, let first = erasures.values.first else { return nil }
    var low = first.stamp.milliseconds
    var high = low
    for erasure in erasures.values {
      low = min(low, erasure.stamp.milliseconds)
      high = max(high, erasure.stamp.milliseconds)
    }
    // Each round of the loop divides a span of time into 1,024 parts, and counts the erasures in each part. The counts
    // tell in which part the wanted time lies. The next round divides that part.
    var left = erasures.count
    while true {
      let width = (high - low) / 1_024 + 1
      var parts = [Int](repeating: 0, count: 1_024)
      for erasure in erasures.values where (low...high).contains(erasure.stamp.milliseconds) {
        parts[Int((erasure.stamp.milliseconds - low) / width)] += 1
      }
      var part = 0
      while left - parts[part] > count {
        left -= parts[part]
        part += 1
      }
      low += UInt64(part) * width
      high = min(high, low + width - 1)
      if width == 1 || parts[part] <= erasures.count / 16 { return high + 1 }
    }
  }
}
