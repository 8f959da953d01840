import TestSupport
import Testing

@testable import SyncServer

/// Jobs of some parties that open rooms, in the order in which they got their turns.
private actor Openers {
  private var turns = OpeningTurns()
  private(set) var open: [String] = []
  private(set) var got: [String] = []
  private(set) var waits = 0
  var isIdle: Bool { turns.isIdle }

  func begin(_ party: String) async {
    if !turns.take(party) {
      await withCheckedContinuation {
        turns.wait(party, $0)
        waits += 1
      }
    }
    open.append(party)
    got.append(party)
  }

  func end(_ party: String) {
    guard let index = open.firstIndex(of: party) else { return }
    open.remove(at: index)
    turns.leave(party)
  }
}

@Suite("Turns at opening rooms")
struct OpeningTurnsTests {
  @Test("parties with waiting jobs are served in turn, and none has more than its turns")
  func fair() async {
    let openers = Openers()
    let parties = (0..<OpeningTurns.most / OpeningTurns.mostOfParty).map { "party \($0)" }
    for party in parties { for _ in 0..<OpeningTurns.mostOfParty { await openers.begin(party) } }
    await withTaskGroup(of: Void.self) { group in
      for party in ["ann", "ann", "ann", "bob", "bob", parties[0]] {
        let before = await openers.waits
        group.addTask { await openers.begin(party) }
        await waitUntil("\(party) waits") { await openers.waits != before }
      }
      let first = await openers.got.count
      // The first party has all its turns until it gives one back.
      for (count, party) in [parties[1], parties[1], parties[2], parties[0], parties[0], parties[3]].enumerated() {
        await openers.end(party)
        await waitUntil("\(count + 1) have got a turn") { await openers.got.count > first + count }
      }
      #expect(await openers.got[first...] == ["ann", "bob", "ann", "bob", parties[0], "ann"])
      await group.waitForAll()
    }
    while let party = await openers.open.first { await openers.end(party) }
    #expect(await openers.isIdle)
  }

  @Test("whatever the order, every job gets a turn, and the bounds hold", arguments: 0..<20 as Range<UInt64>)
  func always(seed: UInt64) async {
    let openers = Openers()
    var random = SeededGenerator(seed: seed)
    let count = 200
    let jobs = (0..<count).map { _ in "party \(Int.random(in: 0..<9, using: &random))" }
    await withTaskGroup(of: Void.self) { group in
      for party in jobs { group.addTask { await openers.begin(party) } }
      await waitUntil("all have had a turn") {
        let open = await openers.open
        #expect(open.count <= OpeningTurns.most)
        for (_, ofParty) in Dictionary(grouping: open, by: \.self) {
          #expect(ofParty.count <= OpeningTurns.mostOfParty)
        }
        if let party = open.randomElement(using: &random) { await openers.end(party) }
        return await openers.got.count == count
      }
      await group.waitForAll()
    }
    while let party = await openers.open.first { await openers.end(party) }
    #expect(await openers.isIdle)
  }
}
