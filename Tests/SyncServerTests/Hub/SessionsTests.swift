import Testing

@testable import SyncServer

@Suite("Connections by address") struct SessionsTests {
  @Test("A connection that was turned away counts for its address until it is closed") func turnedAway() {
    var limits = Limits()
    limits.connectionsPerAddress = 40
    var sessions = Sessions(limits: limits)
    for number in 0..<32 {
      #expect(!sessions.turnsAwayUnheard("192.0.2.1"), "\(number)")
      sessions.turnedAway("192.0.2.1")
    }
    #expect(sessions.turnsAwayUnheard("192.0.2.1") && !sessions.turnsAwayUnheard("192.0.2.2"))
    #expect(sessions.crowd(for: "192.0.2.1") == nil)
    for _ in 0..<8 { sessions.turnedAway("192.0.2.1") }
    #expect(sessions.crowd(for: "192.0.2.1") == .address && sessions.crowd(for: "192.0.2.2") == nil)
    for _ in 0..<40 { sessions.forgetTurnedAway("192.0.2.1") }
    #expect(!sessions.turnsAwayUnheard("192.0.2.1") && sessions.crowd(for: "192.0.2.1") == nil)
    // The count doesn't fall below zero.
    sessions.forgetTurnedAway("192.0.2.1")
    #expect(sessions.crowd(for: "192.0.2.1") == nil)
  }
}
