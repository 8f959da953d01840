import Basics
import Testing

@Suite("Counts by size") struct HistogramTests {
  @Test(
    "a value is counted at the lowest bound that it doesn't exceed",
    arguments: [Histogram.Scale.counts, .microseconds]
  )
  func places(scale: Histogram.Scale) throws {
    for (index, bound) in scale.bounds.enumerated() {
      for (value, place) in [(bound, index), (bound + 1, index + 1)] {
        var histogram = Histogram(scale)
        histogram.add(value)
        #expect(histogram.counts.firstIndex(of: 1) == place, "\(value)")
        #expect(histogram.sum == value)
      }
    }
    var histogram = Histogram(scale)
    histogram.add(0)
    histogram.add(.max)
    #expect(histogram.counts.first == 1 && histogram.counts.last == 1)
  }

  @Test("the middle between two bounds of durations is within a tenth of all that lies between them")
  func isFine() throws {
    let bounds = Histogram.Scale.microseconds.bounds
    #expect(bounds.first == 100 && bounds.last == 10_000_000)
    for (below, above) in zip(bounds, bounds.dropFirst()) {
      let middle = (Double(below) * Double(above)).squareRoot()
      #expect(middle <= 1.1 * Double(below) && middle >= 0.9 * Double(above), "\(below) to \(above)")
    }
    // Thresholds that are usual for alarms.
    for milliseconds: UInt64 in [1, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000] {
      #expect(bounds.contains(milliseconds * 1_000))
    }
  }
}
