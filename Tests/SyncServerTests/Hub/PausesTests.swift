import Testing

@testable import SyncServer

@Suite("Why a session is not read from")
struct PausesTests {
  @Test("a short rest that ends leaves a longer one as it is, whichever was given first", arguments: [true, false])
  func rests(isLongerFirst: Bool) {
    var pauses = Pauses()
    for end: UInt64 in isLongerFirst ? [3_000, 50] : [50, 3_000] { pauses.rest(until: end) }
    pauses.restIsOver(at: 50)
    #expect(!pauses.isEmpty)
    pauses.restIsOver(at: 3_000)
    #expect(pauses.isEmpty)
  }

  @Test("reading goes on only once nothing pauses it")
  func several() {
    var pauses = Pauses()
    pauses.insert(.backlog)
    pauses.rest(until: 50)
    pauses.restIsOver(at: 50)
    #expect(!pauses.isEmpty)
    pauses.insert(.opening)
    pauses.remove(.backlog)
    #expect(!pauses.isEmpty)
    pauses.remove(.opening)
    #expect(pauses.isEmpty)
  }
}
