import CanvasCRDT
import Testing

@testable import SyncServer

@Suite("Log lines that are alike") struct LineGatheringTests {
  private var gathering = LineGathering()
  private var now = Moment(wallMilliseconds: 1_763_650_000_000, monotonicMilliseconds: 1_000)
  private var written: [String] = []

  private mutating func line(_ kind: String) {
    guard !gathering.counts(kind, now: now) else { return }
    gathering.begin(kind, LineGathering.Sum(.info, kind, [(key: "room", value: .text("demo"))], now: now))
    written.append(kind)
  }

  private mutating func pass(_ milliseconds: UInt64) {
    now.monotonicMilliseconds += milliseconds
    now.wallMilliseconds += milliseconds
  }

  @Test("The first is written at once, the others as their number when ten seconds are over, and then the next at once")
  mutating func window() throws {
    for _ in 0..<215 { line("full") }
    line("other")
    #expect(written == ["full", "other"])
    pass(9_999)
    line("full")
    #expect(gathering.takeSums(now: now, isEnd: false).isEmpty)
    pass(1)
    let sums = gathering.takeSums(now: now, isEnd: false)
    #expect(sums.map(\.words) == ["full"], "of a single line nothing more is to be told")
    let sum = try #require(sums.first)
    #expect(sum.count == 215 && sum.seconds == 10 && sum.lastMilliseconds == now.wallMilliseconds - 1)
    line("full")
    line("other")
    #expect(written == ["full", "other", "full", "other"])
  }

  @Test("At the end all that was counted is told") mutating func end() {
    line("a")
    pass(2_100)
    line("a")
    line("b")
    line("b")
    line("b")
    let sums = gathering.takeSums(now: now, isEnd: true)
    #expect(sums.map(\.words) == ["a", "b"] && sums.map(\.count) == [1, 2] && sums.map(\.seconds) == [3, 0])
    #expect(gathering.takeSums(now: now, isEnd: true).isEmpty, "once")
  }

  @Test("Each line is written or counted, however many kinds there are") mutating func bounded() {
    for _ in 0..<2 { for number in 0..<1_000 { line("\(number)") } }
    let counted = gathering.takeSums(now: now, isEnd: true).map(\.count).reduce(0, +)
    #expect(counted == UInt64(LineGathering.kindsMax))
    #expect(UInt64(written.count) + counted == 2_000)
  }

  @Test("A pipe takes each line whole, whatever a client has made of it", arguments: [Logger.Format.text, .json])
  func long(format: Logger.Format) {
    for text in ["\u{1}", "é", "\"", "🙂"] {
      let long = String(repeating: text, count: 200_000)
      let logger = Logger(level: .info, format: format)
      let line = logger.line(.info, "refused", ["room": .text("demo"), "a": .text(long), "reason": .text(long)], at: 0)
      #expect((1_000..<4_096).contains(line.utf8.count))
      #expect(line.contains("demo") && line.contains("reason") && line.contains("…"))
      // A fault's words may be long too.
      #expect((1_000..<4_096).contains(logger.line(.error, long, [:], at: 0).utf8.count))
    }
  }

  @Test("A sum is a line like any other", arguments: [Logger.Format.text, .json])
  mutating func words(format: Logger.Format) throws {
    line("a line")
    pass(300)
    line("a line")
    pass(9_700)
    let sum = try #require(gathering.takeSums(now: now, isEnd: false).first)
    let line = Logger(level: .info, format: format).line(of: sum, at: now.wallMilliseconds)
    switch format {
    case .text:
      #expect(
        line == "2025-11-20T14:46:50.000Z info … and 1 more like this in 10 s like=\"a line\" room=demo count=1 "
          + "last=2025-11-20T14:46:40.300Z"
      )
    case .json: #expect(line.hasSuffix(#""like":"a line","room":"demo","count":1,"last":"2025-11-20T14:46:40.300Z"}"#))
    }
  }
}
