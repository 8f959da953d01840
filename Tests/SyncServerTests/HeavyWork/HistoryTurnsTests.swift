import TestSupport
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
  func giveUp(now: UInt64) { turns.giveUp(now: now) }
  func giveUp(number: UInt64) { turns.giveUp(number) }
  var isIdle: Bool { turns.isIdle }

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

@Suite("Turns at reading history")
struct HistoryTurnsTests {
  @Test("addresses with turns leave some to others, and whoever has the fewest is next")
  func fair() async throws {
    let loop = try EventLoop(name: "turns")
    defer { loop.stop() }
    let taker = TurnTaker(loop)
    for (party, most) in [("ann", 4), ("bob", 2), ("cleo", 1), ("dan", 1), ("eve", 0)] {
      for _ in 0..<most { #expect(await taker.take(party), "\(party)") }
      #expect(await !taker.take(party), "\(party)")
    }
    await withTaskGroup(of: Void.self) { group in
      for party in ["ann", "ann", "bob", "fay"] {
        let before = await taker.waits
        group.addTask { _ = await taker.wait(party) }
        await waitUntil("\(party) waits") { await taker.waits != before }
      }
      // Each turn that is given back, and who have got one by then. A party with as many turns as are free waits on.
      let steps = [
        ("ann", ["fay"]), ("cleo", ["fay"]), ("dan", ["fay"]), ("fay", ["fay", "bob"]), ("bob", ["fay", "bob"]),
        ("bob", ["fay", "bob", "ann"]), ("bob", ["fay", "bob", "ann"]), ("ann", ["fay", "bob", "ann", "ann"]),
      ]
      for (party, got) in steps {
        await taker.leave(party)
        await waitUntil("\(got.count) have got a turn") { await taker.got.count >= got.count }
        #expect(await taker.got == got, "\(party) gives a turn back")
      }
      await group.waitForAll()
    }
  }

  @Test("whoever has waited ten seconds gets no turn, and of one address no more than 64 wait")
  func patience() async throws {
    let loop = try EventLoop(name: "turns")
    defer { loop.stop() }
    let taker = TurnTaker(loop)
    await withTaskGroup(of: Bool.self) { group in
      for number in 1...64 {
        group.addTask { await taker.wait("ann") }
        await waitUntil("\(number) wait") { await taker.waits == number }
      }
      #expect(await !taker.wait("ann"))
      await taker.giveUp(now: 9_999)
      #expect(await !taker.isIdle)
      await taker.giveUp(now: 10_000)
      #expect(await taker.isIdle)
      for number in 1...64 { await taker.giveUp(number: UInt64(number)) }
      for await has in group { #expect(!has) }
    }
  }
}
