import Testing
import WebSocketLoop

@testable import SyncServer

/// Acquires slots (`HistoryTurns`) for reading history on an event loop, like the HTTP routes.
private actor TurnTaker {
  nonisolated let loop: EventLoop
  private var turns = HistoryTurns()
  private(set) var got: [String] = []
  private(set) var waits = 0

  init(_ loop: EventLoop) { self.loop = loop }
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  func take(_ party: String) -> Bool { turns.take(party) }
  func leave(_ party: String) { turns.leave(party) }

  func wait(_ party: String) async -> Bool {
    guard let number = turns.mayWait(party) else { return false }
    waits += 1
    let has = await withCheckedContinuation { turn in
      turns.wait(number, party, turn, now: 0)
    }
    if has { got.append(party) }
    return has
  }
}

@Suite("Turns at reading history", .timeLimit(.minutes(1)))
struct HistoryTurnsTests {
  @Test("an address has at most half of the turns, and whoever has the fewest is next")
  func fair() async throws {
    let loop = try EventLoop(name: "turns")
    defer { loop.stop() }
    let taker = TurnTaker(loop)
    for _ in 0..<4 { #expect(await taker.take("ann")) }
    #expect(await !taker.take("ann"))
    for party in ["bob", "cleo", "dan", "eve"] { #expect(await taker.take(party)) }
    #expect(await !taker.take("fay"))
    await withTaskGroup(of: Void.self) { group in
      for party in ["ann", "ann", "bob", "fay"] {
        let before = await taker.waits
        group.addTask { _ = await taker.wait(party) }
        while await taker.waits == before { await Task.yield() }
      }
      // Four jobs of three parties wait for a slot (turn). The party that holds the fewest slots gets the next one: Fay
      // holds none, Bob one, and Ann three.
      await taker.leave("ann")
      while await taker.got.count < 1 { await Task.yield() }
      await taker.leave("cleo")
      while await taker.got.count < 2 { await Task.yield() }
      await taker.leave("dan")
      while await taker.got.count < 3 { await Task.yield() }
      #expect(await taker.got == ["fay", "bob", "ann"])
      // A slot becomes free, but Ann's last job still waits, because she already holds four slots, which is half of all
      // slots.
      await taker.leave("eve")
      #expect(await taker.got.count == 3)
      #expect(await taker.take("gus"))
      await taker.leave("ann")
      while await taker.got.count < 4 { await Task.yield() }
      await group.waitForAll()
    }
  }
}
