import Testing

@testable import WebSocketLoop

/// Which unfinished entry is evicted when connections or memory run short.
@Suite struct UnfinishedTests {
  @Test("An address with more than others makes way for them at once, the oldest entry first") func greedy() {
    var unfinished = Unfinished(graceMilliseconds: 1_000)
    let quiet = unfinished.begin(party: "quiet", now: 0)
    let greedy = (0..<1_000).map { _ in unfinished.begin(party: "greedy", now: 0) }
    #expect(unfinished.victim(.count, for: "new", now: 0) == greedy[0])
    #expect(unfinished.victim(.count, for: "quiet", now: 0) == greedy[0])
    unfinished.end(greedy[0])
    #expect(unfinished.victim(.count, for: "quiet", now: 0) == greedy[1])
    for number in greedy { unfinished.end(number) }
    #expect(unfinished.count == 1)
    unfinished.end(quiet)
    #expect(unfinished.count == 0 && unfinished.bytes == 0)
  }

  @Test("One address that has everything makes way for a newcomer at once") func alone() {
    var unfinished = Unfinished(graceMilliseconds: 1_000)
    #expect(unfinished.victim(.count, for: "new", now: 0) == nil)
    let greedy = (0..<3).map { _ in unfinished.begin(party: "greedy", now: 0) }
    #expect(unfinished.victim(.count, for: "new", now: 0) == greedy[0])
    #expect(unfinished.victim(.count, for: "greedy", now: 0) == nil)
    for number in greedy.dropFirst() { unfinished.end(number) }
    // With the new party, each party would have one entry, which is within its share. So no entry is evicted.
    #expect(unfinished.victim(.count, for: "new", now: 0) == nil)
  }

  @Test("An address's entries make way for its own newer ones only after a while") func grace() {
    var unfinished = Unfinished(graceMilliseconds: 1_000)
    let first = unfinished.begin(party: "greedy", now: 0)
    let second = unfinished.begin(party: "greedy", now: 500)
    #expect(unfinished.victim(.count, for: "greedy", now: 999) == nil)
    #expect(unfinished.victim(.count, for: "greedy", now: 1_000) == first)
    #expect(unfinished.ofItsOwn("greedy", except: first, now: 1_499) == nil)
    #expect(unfinished.ofItsOwn("greedy", except: first, now: 1_500) == second)
    #expect(unfinished.ofItsOwn("greedy", now: 1_500) == first)
    #expect(unfinished.ofItsOwn("other", now: 1_500) == nil)
  }

  @Test("Bytes are shared like places, by how many each holds") func bytes() {
    var unfinished = Unfinished(graceMilliseconds: 1_000)
    let small = (0..<50).map { _ in unfinished.begin(party: "small", bytes: 10, now: 0) }
    let large = unfinished.begin(party: "large", now: 0)
    unfinished.resize(large, bytes: 1_000_000)
    #expect(unfinished.bytes == 1_000_500)
    #expect(unfinished.victim(.bytes, for: "small", except: small[0], now: 0) == large)
    unfinished.end(large)
    #expect(unfinished.bytes == 500)
  }

  @Test("Many clients with little each: the oldest goes, after a while") func equal() {
    var unfinished = Unfinished(graceMilliseconds: 1_000)
    let numbers = (0..<5_000).map { unfinished.begin(party: "\($0)", now: UInt64($0)) }
    #expect(unfinished.victim(.count, for: "new", now: 999) == nil)
    #expect(unfinished.victim(.count, for: "new", now: 1_000) == numbers[0])
    for number in numbers.dropLast() { unfinished.end(number) }
    #expect(unfinished.victim(.count, for: "new", now: 9_000) == numbers.last)
  }

  @Test("Where bytes run short, what holds none stays, however old it is") func bytesOnly() {
    var unfinished = Unfinished(graceMilliseconds: 1_000)
    for number in 0..<200 { _ = unfinished.begin(party: "idle-\(number)", now: 0) }
    let large = unfinished.begin(party: "greedy", bytes: 1_000_000, now: 10)
    let small = unfinished.begin(party: "modest", bytes: 1_000, now: 20)
    #expect(unfinished.victim(.bytes, for: "newcomer", now: 30) == large)
    unfinished.end(large)
    #expect(unfinished.victim(.bytes, for: "newcomer", now: 5_000) == small)
    unfinished.end(small)
    #expect(unfinished.victim(.bytes, for: "newcomer", now: 5_000) == nil)
  }

  @Test("Where bytes run short, those who hold none make nobody's share smaller") func idle() {
    var unfinished = Unfinished(graceMilliseconds: 1_000)
    for number in 0..<60 { _ = unfinished.begin(party: "idle-\(number)", now: 0) }
    let large = unfinished.begin(party: "greedy", bytes: 8_000_000, now: 0)
    let small = unfinished.begin(party: "modest", now: 0)
    unfinished.resize(small, bytes: 800_000)
    #expect(unfinished.victim(.bytes, for: "modest", except: small, now: 0) == large)
    #expect(unfinished.victim(.bytes, for: "idle-0", now: 0) == large)
    // Who holds most makes way only for itself.
    #expect(unfinished.victim(.bytes, for: "greedy", now: 0) == nil)
    unfinished.resize(large, bytes: 0)
    #expect(unfinished.victim(.bytes, for: "modest", now: 2_000) == small)
  }

  @Test("An address may have half of what others have left with the owner, and one body in any case") func shares() {
    var shares = HeldShares(bytesMax: 1_000, smallBytesMax: 10)
    #expect(shares.takes(900, of: "a") == 900 && shares.takes(11, of: "a") == nil && shares.takes(10, of: "a") == 0)
    #expect(shares.takes(300, of: "b") == 300)
    shares.giveBack(900, of: "a")
    #expect(shares.takes(200, of: "a") != nil && shares.takes(150, of: "a") != nil && shares.takes(11, of: "a") == nil)
    #expect(shares.takes(100, of: "c") != nil && shares.takes(50, of: "c") != nil && shares.takes(100, of: "c") == nil)
    shares.giveBack(300, of: "b")
    #expect(shares.takes(70, of: "a") == 70)
  }
}
