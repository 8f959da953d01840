import Basics
import TestSupport
import Testing

@Suite("Percentiles") struct PercentilesTests {
  @Test("no percentile is wrong by more than a sixty-fourth, and none is past the longest", arguments: 0..<20)
  func percentiles(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    var percentiles = Percentiles()
    var all: [UInt64] = []
    for _ in 0..<2_000 {
      let value = UInt64.random(in: 0...(1 << UInt64.random(in: 0...40, using: &random)), using: &random)
      percentiles.add(value)
      all.append(value)
    }
    all.sort()
    for part in [0, 0.001, 0.01, 0.5, 0.9, 0.99, 0.999, 1] {
      let exact = all[max(0, Int((part * Double(all.count)).rounded(.up)) - 1)]
      let told = percentiles[part]
      #expect(told >= exact && told <= percentiles.largest)
      #expect(Double(told) <= Double(exact) * (1 + 1.0 / 64) + 1)
    }
    #expect(percentiles.largest == all.last)
    #expect(percentiles.count == 2_000)
  }

  @Test("of nothing there is nothing to tell, and of one value there is that value")
  func few() {
    var percentiles = Percentiles()
    #expect(percentiles[0.5] == 0 && percentiles.count == 0)
    percentiles.add(1_000)
    for part in [0, 0.5, 1] { #expect(percentiles[part] == 1_000) }
  }
}
