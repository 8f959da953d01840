import Testing

@testable import WebSocketLoop

@Suite("Bytes beside messages") struct OverheadTests {
  @Test("A slow stream is allowed for ever, a burst up to a bound") func allowance() {
    var overhead = Overhead()
    overhead.begin(received: 1_000, at: 0)
    var received: UInt64 = 1_000
    for second in 1...1_000 as ClosedRange<UInt64> {
      received += 4_096
      #expect(overhead.look(received: received, at: second * 1_000) == nil)
    }
    received += 65_536
    #expect(overhead.look(received: received, at: 1_001_000) == nil)
    #expect(overhead.look(received: received + 1, at: 1_001_000) == 1_000 && overhead.isResting)
  }

  @Test("Messages and their headers don't count; the rest is as long as what was too much takes, up to a bound")
  func messages() {
    var overhead = Overhead()
    overhead.begin(received: 0, at: 0)
    for _ in 0..<10_000 {
      overhead.handOn(bytes: 1)
      overhead.endMessage()
    }
    #expect(overhead.look(received: 70_000, at: 0) == nil)
    #expect(overhead.look(received: 150_000 + 65_536 + 8_192, at: 0) == 2_000)
    overhead.rested()
    #expect(!overhead.isResting)
    #expect(overhead.look(received: 10_000_000, at: 0) == 10_000)
  }

  @Test("Bytes that are handed on only later are not counted twice") func late() {
    var overhead = Overhead()
    overhead.begin(received: 0, at: 0)
    #expect(overhead.look(received: 40_000, at: 0) == nil)
    overhead.handOn(bytes: 40_000)
    for received: UInt64 in [40_000, 80_000] { #expect(overhead.look(received: received, at: 0) == nil) }
    #expect(overhead.look(received: 105_536, at: 0) == nil)
    #expect(overhead.look(received: 105_537, at: 0) != nil)
  }
}
