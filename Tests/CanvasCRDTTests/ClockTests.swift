import Testing

@testable import CanvasCRDT

@Suite("Clock and stamps")
struct ClockTests {
  private let actor = Identifier("abc-abc-abc")!
  private let other = Identifier("zzz-abc-abc")!

  @Test("it follows the wall clock, and counts on when that stands still or goes back")
  func neverGoesBack() {
    var clock = Clock(actor: actor)
    #expect(clock.tick(milliseconds: 100).text == "100.0.abc-abc-abc")
    #expect(clock.tick(milliseconds: 100).text == "100.1.abc-abc-abc")
    #expect(clock.tick(milliseconds: 40).text == "100.2.abc-abc-abc")
    #expect(clock.tick(milliseconds: 101).text == "101.0.abc-abc-abc")
  }

  @Test("it is past everything that it has seen")
  func absorbs() {
    var clock = Clock(actor: actor)
    clock.observe(Stamp(milliseconds: 500, counter: 7, actor: other)!)
    #expect(clock.tick(milliseconds: 100).text == "500.8.abc-abc-abc")
    clock.observe(Stamp(milliseconds: 3, counter: 0, actor: other)!)
    #expect(clock.tick(milliseconds: 100).text == "500.9.abc-abc-abc")
  }

  @Test("a full counter carries into the milliseconds")
  func fullCounter() {
    var clock = Clock(actor: actor, time: 100 << 16 | 65_535)
    #expect(clock.tick(milliseconds: 100).text == "101.0.abc-abc-abc")
  }

  @Test("stamps rise even if the wall clock jumps ahead and back", arguments: 0..<20 as Range<UInt64>)
  func jumps(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var clock = Clock(actor: actor)
    var last = clock.tick(milliseconds: 0)
    for _ in 0..<500 {
      let stamp = clock.tick(milliseconds: UInt64.random(in: 0...UInt64.max, using: &generator))
      #expect(stamp > last || stamp.time == UInt64.max)
      last = stamp
    }
  }

  @Test("the door learns which stamps are ahead and which are too old")
  func standing() {
    func standing(_ milliseconds: UInt64) -> Clock.Standing {
      Clock.standing(
        of: Stamp(milliseconds: milliseconds, counter: 0, actor: actor)!,
        wallMilliseconds: 10_000,
        aheadMillisecondsMax: 500,
        horizonMilliseconds: 2_000
      )
    }
    #expect(standing(10_500) == .plausible)
    #expect(standing(10_501) == .ahead(byMilliseconds: 501))
    #expect(standing(8_000) == .plausible)
    #expect(standing(7_999) == .tooOld(byMilliseconds: 2_001))
  }

  @Test("M1: stamps are ordered by milliseconds, counter, actor, and read back from their text")
  func stampOrderAndText() throws {
    let rising = [
      "0.0.000-000-000", "9.65535.zzz-zzz-zzz", "10.0.abc-abc-abc", "10.0.abc-abc-abd", "10.1.abc-abc-abc",
      "281474976710655.65535.zzz-zzz-zzz",
    ]
    let stamps = try rising.map { try #require(Stamp($0)) }
    #expect(stamps == stamps.sorted())
    #expect(stamps.map(\.text) == rising)
  }

  @Test(
    "any other text is not a stamp",
    arguments: [
      "", "1.abc-abc-abc", "1.0.abc-abc-ab", "01.0.abc-abc-abc", "1.00.abc-abc-abc", "1.65536.abc-abc-abc",
      "281474976710656.0.abc-abc-abc", "-1.0.abc-abc-abc", "1.0.0.abc-abc-abc", "1..abc-abc-abc",
      ".0.abc-abc-abc", "1 .0.abc-abc-abc", "99999999999999999999.0.abc-abc-abc",
    ]
  )
  func refusesOtherText(text: String) {
    #expect(Stamp(text) == nil)
  }
}
