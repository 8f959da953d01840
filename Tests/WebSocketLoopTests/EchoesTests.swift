import Testing

@testable import WebSocketLoop

@Suite("Bytes that have reached a peer behind a proxy") struct EchoesTests {
  private func hear(_ text: String, _ echoes: inout Echoes, at now: UInt64) -> Bool {
    Array(text.utf8).withUnsafeBytes { echoes.hear($0, at: now) }
  }

  @Test("Bytes have arrived once the ping after them is answered") func arrived() {
    var echoes = Echoes()
    echoes.spend(1_000)
    let ping = echoes.ask(at: 10)
    echoes.spend(500)
    #expect(echoes.look(isBound: true).queued == 1_500)
    #expect(echoes.look(isBound: true).acknowledged == 0)
    #expect(hear(ping, &echoes, at: 60))
    let look = echoes.look(isBound: true)
    #expect(look.queued == 500)
    #expect(look.acknowledged == 1_000)
    #expect(look.leastRoundTrip == 50)
    #expect(look.roundTrip == 50)
  }

  @Test("The answer to a ping stands for those before it; other answers tell nothing") func later() {
    var echoes = Echoes()
    var pings: [String] = []
    for _ in 0..<3 {
      echoes.spend(100)
      pings.append(echoes.ask(at: 0))
    }
    #expect(hear(pings[1], &echoes, at: 5))
    #expect(echoes.look(isBound: true).acknowledged == 200)
    for text in [pings[0], pings[1], "live", "got 4", "got ", "got -1", ""] {
      #expect(!hear(text, &echoes, at: 6), "\(text)")
    }
    #expect(echoes.look(isBound: true).acknowledged == 200)
    #expect(hear(pings[2], &echoes, at: 7))
    #expect(echoes.look(isBound: true).queued == 0)
  }

  @Test("A line that keeps up is asked for every 8 KB, a bound one after each write") func asking() {
    var echoes = Echoes()
    echoes.spend(1)
    // The first ping is sent at once, because the round-trip time is needed from the start.
    #expect(echoes.wantsPing(isBound: false))
    _ = echoes.ask(at: 0)
    echoes.spend(8_191)
    #expect(!echoes.wantsPing(isBound: false))
    #expect(echoes.wantsPing(isBound: true))
    // Bytes sent after the newest ping don't count as queued while the connection keeps up.
    #expect(echoes.look(isBound: false).queued == 1)
    echoes.spend(1)
    #expect(echoes.wantsPing(isBound: false))
  }

  @Test("A peer that answers nothing is asked only so often") func silent() {
    var echoes = Echoes()
    var count = 0
    for _ in 0..<1_000 {
      echoes.spend(10)
      guard echoes.wantsPing(isBound: true) else { continue }
      _ = echoes.ask(at: 0)
      count += 1
    }
    #expect(count == 64)
  }
}
