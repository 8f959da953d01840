import CanvasCRDT
import TestSupport
import Testing

@Suite("A token bucket")
struct TokenBucketTests {
  @Test("fills at its rate, in milliseconds, up to its capacity")
  func fills() {
    var bucket = TokenBucket(perSecond: 10, capacity: 25, at: 0)
    _ = bucket.take(25, at: 0)
    #expect(bucket.take(1, at: 99) == false)
    #expect(bucket.take(1, at: 100) == true, "looking a moment too early costs nothing")
    #expect(!bucket.isFull(at: 2_599) && bucket.isFull(at: 2_600))
    #expect(bucket.take(26, at: 1_000_000) == false)
    #expect(bucket.take(25, at: 1_000_000) == true)
  }

  @Test("tells the time until a number of tokens can be taken")
  func waits() {
    var bucket = TokenBucket(perSecond: 3, capacity: 3, at: 0)
    #expect(bucket.millisecondsUntil(3, at: 0) == 0)
    _ = bucket.take(3, at: 0)
    #expect(bucket.millisecondsUntil(1, at: 0) == 334)
    #expect(bucket.millisecondsUntil(1, at: 100) == 234)
    #expect(bucket.millisecondsUntil(100, at: 0) == 1_000, "until it is full")
    #expect(bucket.take(1, at: 333) == false)
    #expect(bucket.take(1, at: 334) == true)
  }

  @Test("gets nothing from a clock that goes back")
  func clockGoesBack() {
    var bucket = TokenBucket(perSecond: 1_000, capacity: 10, at: 5_000)
    _ = bucket.take(10, at: 5_000)
    #expect(bucket.take(1, at: 0) == false)
    #expect(bucket.take(1, at: 5_000) == false)
    #expect(bucket.take(1, at: 5_001) == true)
  }

  @Test("takes any numbers: nothing overflows", arguments: [0, 1, 1_000_000_000, UInt64.max])
  func bounds(number: UInt64) {
    var bucket = TokenBucket(perSecond: number, capacity: number, at: 0)
    #expect(bucket.capacity == min(max(number, 1), 1_000_000_000))
    #expect(bucket.take(bucket.capacity, at: 0) == true)
    #expect(bucket.millisecondsUntil(number, at: 0) <= 1_000)
    #expect(bucket.isFull(at: .max))
    #expect(bucket.take(bucket.capacity, at: .max) == true)
  }

  @Test("never gives more than its rate over any time, and all of it to whoever waits as long as it says")
  func rate() {
    var random = SeededGenerator(seed: 4)
    for _ in 0..<200 {
      let perSecond = UInt64.random(in: 1...5_000, using: &random)
      let capacity = UInt64.random(in: 1...5_000, using: &random)
      var bucket = TokenBucket(perSecond: perSecond, capacity: capacity, at: 0)
      var now: UInt64 = 0
      var taken: UInt64 = 0
      for _ in 0..<100 {
        let count = UInt64.random(in: 1...capacity, using: &random)
        if Bool.random(using: &random) {
          now += bucket.millisecondsUntil(count, at: now)
          #expect(bucket.take(count, at: now) == true)
          taken += count
        } else {
          now += UInt64.random(in: 0...50, using: &random)
          if bucket.take(count, at: now) { taken += count }
        }
      }
      #expect(taken * 1_000 <= capacity * 1_000 + now * perSecond)
    }
  }
}
