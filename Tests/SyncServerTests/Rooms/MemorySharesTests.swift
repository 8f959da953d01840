import CanvasCRDT
import Testing

@testable import SyncServer

@Suite("Shares of a room's memory for deletions") struct MemorySharesTests {
  /// Each may use 2,000 of 16,000 places, and 1,024 of 4,000 remnants. All of it fades in a second.
  private let limits: Limits = {
    var limits = Limits()
    (limits.erasures, limits.shapes, limits.erasureMilliseconds) = (16_000, 4_000, 1_000)
    return limits
  }()

  private let ann = Payer(address: "192.0.2.1", token: .token("ann"))
  private let bob = Payer(address: "192.0.2.2", token: .token("bob"))
  private let annElsewhere = Payer(address: "192.0.2.3", token: .token("ann"))
  private let annsNeighbour = Payer(address: "192.0.2.1", token: .token("cleo"))

  private func moment(_ milliseconds: UInt64) -> Moment {
    Moment(wallMilliseconds: 0, monotonicMilliseconds: milliseconds)
  }

  private func words(
    _ shares: MemoryShares,
    _ payer: Payer?,
    _ places: Int,
    remnants: Int = 0,
    taken: MemoryUse,
    at milliseconds: UInt64 = 0
  ) -> String? {
    do throws(Rejection) {
      let use = MemoryUse(places: places, remnants: remnants)
      try shares.check(use, for: payer, taken: taken, now: moment(milliseconds))
      return nil
    } catch {
      #expect(error.code == .quotaExceeded)
      return error.message.string.contains("your token") ? "token" : "address"
    }
  }

  @Test("W12: while more than half is taken, an address may take an eighth, and so may a token") func shares() {
    var shares = MemoryShares(limits: limits)
    let half = MemoryUse(places: 8_000)
    shares.charge(MemoryUse(places: 1_900), to: ann, now: moment(0))
    #expect(words(shares, ann, 100, taken: half) == nil && words(shares, ann, 101, taken: half) == "address")
    #expect(words(shares, annElsewhere, 101, taken: half) == "token")
    #expect(words(shares, annsNeighbour, 101, taken: half) == "address")
    #expect(words(shares, bob, 2_000, taken: half) == nil && words(shares, nil, 9_000, taken: half) == nil)
    #expect(words(shares, ann, 101, taken: MemoryUse(places: 7_899)) == nil, "that is half of it")
    #expect(words(shares, ann, 101, taken: MemoryUse(places: 7_900)) == "address")
    #expect(words(shares, ann, 0, taken: half) == nil)
  }

  @Test("W12: who has brought nothing may bring a whole drawing while half is free") func drawings() {
    let shares = MemoryShares(limits: limits)
    #expect(words(shares, bob, 9_000, taken: MemoryUse(places: 8_000)) == nil)
    #expect(words(shares, bob, 9_000, taken: MemoryUse(places: 8_001)) == "address")
    #expect(words(shares, bob, 2_000, taken: MemoryUse(places: 8_001)) == nil)
  }

  @Test("W12: edits without a shape have shares of their own, which hold a message at least") func remnants() {
    var shares = MemoryShares(limits: limits)
    shares.charge(MemoryUse(places: 1_900, remnants: 900, mayOutlive: 100), to: ann, now: moment(0))
    let full = MemoryUse(places: 0, remnants: 3_000)
    #expect(words(shares, ann, 0, remnants: 24, taken: full) == nil)
    #expect(words(shares, ann, 0, remnants: 25, taken: full) == "address")
    #expect(words(shares, ann, 100, taken: full) == nil, "shapes take no part of it")
    #expect(words(shares, ann, 0, remnants: 536, taken: full, at: 500) == nil)
    #expect(words(shares, ann, 0, remnants: 537, taken: full, at: 500) == "address")
  }

  @Test("W12: what was brought fades, a share in the set time, and what was refused is given back") func fading() {
    var shares = MemoryShares(limits: limits)
    let full = MemoryUse(places: 15_000)
    shares.charge(MemoryUse(places: 2_000), to: ann, now: moment(0))
    #expect(words(shares, ann, 1_000, taken: full, at: 499) == "address")
    #expect(words(shares, ann, 1_000, taken: full, at: 500) == nil)
    shares.forgetFaded(now: moment(999))
    #expect(words(shares, ann, 2_000, taken: full, at: 999) == "address")
    shares.giveBack(MemoryUse(places: 1_500), to: ann)
    #expect(words(shares, ann, 1_500, taken: full) == nil && words(shares, ann, 1_501, taken: full) == "address")
    shares.giveBack(MemoryUse(places: 9_000), to: ann)
    #expect(words(shares, ann, 2_000, taken: full) == nil)
  }

  @Test("of very many payers, those who have brought least are forgotten") func many() {
    var shares = MemoryShares(limits: limits)
    let full = MemoryUse(places: 15_000)
    for number in 1...4_097 {
      shares.charge(
        MemoryUse(places: number < 3_000 ? 1 : 10),
        to: Payer(address: "\(number)", token: nil),
        now: moment(0)
      )
    }
    let (little, much) = (Payer(address: "1", token: nil), Payer(address: "3000", token: nil))
    #expect(words(shares, little, 2_000, taken: full) == nil && words(shares, much, 2_000, taken: full) == "address")
  }
}
