import Testing

@testable import SyncServer

@Suite("Connections by address") struct VisitorsTests {
  @Test("A connection that was turned away counts for its address until it is closed") func turnedAway() {
    var limits = Limits()
    limits.connectionsPerAddress = 40
    var visitors = Visitors(limits: limits)
    for number in 0..<32 {
      #expect(!visitors.turnsAwayUnheard("192.0.2.1"), "\(number)")
      visitors.turnedAway("192.0.2.1")
    }
    #expect(visitors.turnsAwayUnheard("192.0.2.1") && !visitors.turnsAwayUnheard("192.0.2.2"))
    #expect(visitors.crowd(for: "192.0.2.1") == nil)
    for _ in 0..<8 { visitors.turnedAway("192.0.2.1") }
    #expect(visitors.crowd(for: "192.0.2.1") == .address && visitors.crowd(for: "192.0.2.2") == nil)
    for _ in 0..<40 { visitors.forgetTurnedAway("192.0.2.1") }
    #expect(!visitors.turnsAwayUnheard("192.0.2.1") && visitors.crowd(for: "192.0.2.1") == nil)
    // The count doesn't fall below zero.
    visitors.forgetTurnedAway("192.0.2.1")
    #expect(visitors.crowd(for: "192.0.2.1") == nil)
  }
}
