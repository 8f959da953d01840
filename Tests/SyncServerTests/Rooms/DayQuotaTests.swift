import Testing

@testable import SyncServer

/// How much an address and a token may store per day (W11).
@Suite struct DayQuotaTests {
  private let day: UInt64 = 86_400_000

  private func quotas() -> DayQuotas {
    var limits = Limits()
    limits.dayBytesPerAddress = 1_000
    limits.dayBytesPerToken = 1_500
    limits.dayRoomsPerAddress = 2
    limits.dayRoomsPerToken = 3
    return DayQuotas(limits: limits)
  }

  private let ann = Payer(address: "192.0.2.1", token: .subject("team"))
  private let bob = Payer(address: "192.0.2.2", token: .subject("team"))

  @Test("Bytes that were written count for a day, less and less") func fades() {
    var quotas = quotas()
    quotas.charge(ann, bytes: 1_000, rooms: 0, now: 0)
    #expect(quotas.refusal(of: ann, isNewRoom: false, now: 0) == "your address has written more than it may in a day")
    #expect(quotas.refusal(of: bob, isNewRoom: false, now: 0) == nil)
    #expect(quotas.refusal(of: ann, isNewRoom: false, now: day / 100) == nil)
    quotas.charge(ann, bytes: 500, rooms: 0, now: day / 2)
    #expect(quotas.refusal(of: ann, isNewRoom: false, now: day / 2) != nil)
    quotas.forgetFaded(now: day / 2)
    #expect(quotas.refusal(of: ann, isNewRoom: false, now: day / 2) != nil)
    quotas.forgetFaded(now: day * 3)
    #expect(quotas.refusal(of: ann, isNewRoom: true, now: day * 3) == nil)
  }

  @Test("Faded counts are dropped a few at a time, and where there are too many counts, small ones go") func bounded() {
    var quotas = quotas()
    quotas.charge(ann, bytes: 900, rooms: 2, now: 0)
    let maker = Payer(address: "192.0.2.2", token: nil)
    quotas.charge(maker, bytes: 1, rooms: 2, now: 0)
    for number in 0..<DayQuotas.entriesMax + 1_000 {
      quotas.charge(Payer(address: "\(number)", token: nil), bytes: 1, rooms: 0, now: 0)
    }
    // There is one entry for each of `entriesMax` addresses, and one for Ann's token.
    #expect(quotas.entryCount == DayQuotas.entriesMax + 1)
    for payer in [ann, maker] { #expect(quotas.refusal(of: payer, isNewRoom: true, now: 0) != nil) }
    quotas.forgetFaded(now: day * 3)
    #expect(quotas.entryCount == DayQuotas.entriesMax - DayQuotas.lookedAtOnce)
    while quotas.entryCount > 0 { quotas.forgetFaded(now: day * 3) }
    quotas.charge(ann, bytes: 1, rooms: 0, now: day * 3)
    #expect(quotas.entryCount == 2)
  }

  @Test("Nobody may write more because bytes have faded, or were given back, while their rooms still count")
  func noCredit() {
    for (givenBack, time) in [(0, day * 3 / 4), (500, day / 4)] {
      var quotas = quotas()
      quotas.charge(ann, bytes: 500, rooms: 2, now: 0)
      if givenBack > 0 { quotas.charge(ann, bytes: -givenBack, rooms: 0, now: time) }
      quotas.charge(ann, bytes: 1_000, rooms: 0, now: time)
      #expect(quotas.refusal(of: ann, isNewRoom: false, now: time) != nil, "\(givenBack)")
    }
  }

  @Test("A token's quota is for all who have the token") func token() {
    var quotas = quotas()
    quotas.charge(ann, bytes: 750, rooms: 2, now: 0)
    quotas.charge(bob, bytes: 500, rooms: 0, now: 0)
    #expect(quotas.refusal(of: bob, isNewRoom: true, now: 0) == nil)
    quotas.charge(bob, bytes: 0, rooms: 1, now: 0)
    #expect(quotas.refusal(of: bob, isNewRoom: true, now: 0) == "your token has made more rooms than it may in a day")
    quotas.charge(bob, bytes: 250, rooms: 0, now: 0)
    #expect(quotas.refusal(of: bob, isNewRoom: false, now: 0) == "your token has written more than it may in a day")
    #expect(quotas.refusal(of: Payer(address: "192.0.2.1", token: nil), isNewRoom: false, now: 0) == nil)
  }

  @Test("Only new rooms are refused for the number of rooms") func rooms() {
    var quotas = quotas()
    for _ in 0..<2 { quotas.charge(ann, bytes: 1, rooms: 1, now: 0) }
    #expect(quotas.refusal(of: ann, isNewRoom: true, now: 0) == "your address has made more rooms than it may in a day")
    #expect(quotas.refusal(of: ann, isNewRoom: false, now: 0) == nil)
    #expect(quotas.refusal(of: ann, isNewRoom: true, now: day / 2) == nil)
  }
}
