import TestSupport
import Testing

@testable import sync_client

@Suite struct LatencyHistogramTests {
  @Test("no percentile is wrong by more than a thirty-second, and none is past the longest", arguments: 0..<20)
  func percentiles(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    var histogram = LatencyHistogram()
    var all: [UInt64] = []
    for _ in 0..<2_000 {
      let value = UInt64.random(in: 0...(1 << UInt64.random(in: 0...40, using: &random)), using: &random)
      histogram.add(microseconds: value)
      all.append(value)
    }
    all.sort()
    for part in [0.001, 0.01, 0.5, 0.9, 0.99, 0.999, 1] {
      let exact = all[max(0, Int((part * Double(all.count)).rounded(.up)) - 1)]
      let told = histogram.microseconds(atPart: part)
      #expect(told >= exact)
      #expect(Double(told) <= Double(exact) * (1 + 1.0 / 32) + 1)
    }
    #expect(histogram.microsecondsMax == all.last)
    #expect(histogram.count == 2_000)
  }

  @Test("of nothing there is nothing to tell") func empty() {
    #expect(LatencyHistogram().microseconds(atPart: 0.5) == 0)
  }
}
