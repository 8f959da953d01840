import TestSupport
import Testing

@testable import SyncServer

@Suite("Operations on their way to one shape")
struct NewestOnTheWayTests {
  /// Counts merges.
  private final class Tally {
    var merges = 0
  }

  private struct Counted: Newest {
    var value: Int
    let tally: Tally

    mutating func merge(_ other: Counted) {
      tally.merges += 1
      value = max(value, other.value)
    }
  }

  @Test("the cost doesn't grow with the number of batches on their way, whatever their order")
  func steps() {
    for isFalling in [true, false] {
      let tally = Tally()
      var arrivals = NewestOnTheWay<Counted>()
      for batch in 1...20_000 as ClosedRange<UInt64> {
        arrivals.add(Counted(value: isFalling ? -Int(batch) : Int(batch), tally: tally), of: batch)
        _ = arrivals.sum
      }
      for batch in 1...20_000 as ClosedRange<UInt64> {
        // The answers to some batches come late.
        if batch % 100 == 1 { continue }
        arrivals.remove(batch)
        _ = arrivals.sum
        if batch % 100 == 50 { arrivals.remove(batch - 49) }
      }
      #expect(arrivals.isEmpty)
      #expect(tally.merges < 5 * 20_000)
    }
  }

  @Test("it comes to the newest of all, also of what an older one still holds up")
  func sums() {
    var random = SeededGenerator(seed: 5)
    let tally = Tally()
    var arrivals = NewestOnTheWay<Counted>()
    var there: [(batch: UInt64, value: Int)] = []
    for batch in 1...2_000 as ClosedRange<UInt64> {
      let value = Int.random(in: 0..<1_000, using: &random)
      arrivals.add(Counted(value: value, tally: tally), of: batch)
      there.append((batch, value))
      for _ in 0..<Int.random(in: 0...2, using: &random) where !there.isEmpty {
        arrivals.remove(there.removeFirst().batch)
      }
      #expect(arrivals.sum?.value == there.map(\.value).max())
    }
    guard there.count > 2 else { return }
    let last = there.removeLast()
    arrivals.remove(last.batch)
    #expect(arrivals.sum.map { $0.value >= there.map(\.value).max()! } == true)
    for batch in there.map(\.batch) { arrivals.remove(batch) }
    #expect(arrivals.isEmpty && arrivals.sum == nil)
  }
}
