import Testing

@testable import SyncServer

@Suite("Connections by address") struct SessionsTests {
  @Test(
    "Where the system allows fewer connections than the limits, HTTP keeps its share of them",
    arguments: [(25_000, 20_000), (30_000, 20_000), (1_000, 800), (80, 64), (1, 1)]
  )
  func share(allowed: Int, webSockets: UInt64) {
    var limits = Limits()
    (limits.connections, limits.httpConnections) = (20_000, 5_000)
    var sessions = Sessions(limits: limits)
    sessions.fit(into: allowed)
    #expect(sessions.countMax == webSockets)
    // HTTP's own limit, however large, takes no more than its part.
    limits.httpConnections = .max
    sessions = Sessions(limits: limits)
    sessions.fit(into: allowed)
    #expect(sessions.countMax == min(20_000, max(1, UInt64(allowed) - UInt64(allowed) / 5)))
  }

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
