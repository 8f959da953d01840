import Basics
import CanvasCRDT

/// What the bots print: progress while they run, and statistics at the end.
@ClientLoop
struct BotSummary {
  private static let parts: [(name: StaticString, part: Double)] = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99)]

  static func progress(_ crowd: BotCrowd, to output: Output) {
    let tally = crowd.tally
    var line = "\(Figures.rounded(crowd.seconds, decimals: 0)) s: \(tally.acknowledged) acknowledged"
    line += ", \(crowd.unansweredCount) on their way"
    if tally.refusedCount > 0 { line += ", \(tally.refusedCount) refused" }
    if tally.reconnects > 0 { line += ", \(Figures.counted(tally.reconnects, "reconnect"))" }
    if tally.latencies.count > 0 { line += "; \(latencies(tally.latencies))" }
    if let postponement = tally.postponement { line += "; \(postponement.words)" }
    output.progress(line)
  }

  private static func latencies(_ microseconds: Percentiles) -> String {
    parts.map { "\($0.name) \(Figures.duration(microseconds: microseconds[$0.part]))" }
      .joined(separator: ", ") + ", longest \(Figures.duration(microseconds: microseconds.largest))"
  }

  static func write(_ crowd: BotCrowd, to invocation: Invocation) {
    let tally = crowd.tally
    let output = invocation.output
    guard !invocation.isJSON else { return output.write { write(crowd, to: &$0) } }
    let rate = crowd.seconds > 0 ? Double(tally.acknowledged) / crowd.seconds : 0
    let bots = Figures.counted(crowd.bots.count, "bot")
    let operations = Figures.counted(tally.written, "operation")
    output.write("\(bots) for \(Figures.rounded(crowd.seconds)) s: \(operations)")
    output.write("  acknowledged  \(tally.acknowledged) (\(Figures.rounded(rate, decimals: 0)) a second)")
    for (code, count) in refusals(tally) { output.write("  refused       \(count) \(code)") }
    if crowd.unansweredCount > 0 {
      let why = tally.postponement.map { ": \($0.words.printable)" } ?? ""
      output.write("  unanswered    \(crowd.unansweredCount)\(why)")
    }
    if tally.superseded > 0 { output.write("  superseded    \(tally.superseded)") }
    if tally.heldBack > 0 {
      output.write("  held back     \(Figures.counted(tally.heldBack, "move")), until answers came")
    }
    if tally.reconnects > 0 { output.write("  reconnects    \(tally.reconnects)") }
    if tally.latencies.count > 0 { output.write("  latency       \(latencies(tally.latencies))") }
  }

  private static func write(_ crowd: BotCrowd, to line: inout JSONWriter) {
    let tally = crowd.tally
    line.member("event", "summary")
    line.member("bots", crowd.bots.count)
    line.member("seconds", (crowd.seconds * 1_000).rounded() / 1_000)
    line.member("operations", tally.written)
    line.member("acknowledged", tally.acknowledged)
    line.member("unanswered", crowd.unansweredCount)
    line.key("refused")
    line.beginObject()
    for (code, count) in refusals(tally) {
      line.key(text: Text(code))
      line.value(count)
    }
    line.endObject()
    line.member("superseded", tally.superseded)
    line.member("heldBack", tally.heldBack)
    line.member("reconnects", tally.reconnects)
    line.key("latencyMilliseconds")
    line.beginObject()
    for (name, part) in parts { line.member(name, Double(tally.latencies[part]) / 1_000) }
    line.member("max", Double(tally.latencies.largest) / 1_000)
    line.endObject()
  }

  private static func refusals(_ tally: BotTally) -> [(String, Int)] {
    tally.refused.map { (Text($0.key.wireName).string, $0.value) }.sorted { $0.0 < $1.0 }
  }

  /// Prints the last acknowledged position of each shape. The shapes must have these positions in the room, unless
  /// somebody else has moved them.
  static func writeLedger(_ crowd: BotCrowd, to output: Output) {
    for bot in crowd.bots {
      for (shape, position) in bot.positions.sorted(by: { $0.key < $1.key }) {
        output.write { line in
          line.member("event", "shape")
          line.member("shape", shape)
          line.key("position")
          line.beginArray()
          line.value(position.x)
          line.value(position.y)
          line.endArray()
        }
      }
    }
  }
}
