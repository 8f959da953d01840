import Testing

@testable import SyncServer

@Suite("Flags and variables") struct ConfigurationTests {
  @Test("A flag goes before its variable, and every limit has both") func limits() throws {
    for flag in Limits.flags {
      let value = flag.range.lowerBound + (flag.range.lowerBound < flag.range.upperBound ? 1 : 0)
      let byFlag = try Invocation(arguments: ["\(flag.name)=\(value)"], environment: [:])
      let byVariable = try Invocation(arguments: [], environment: [flag.variable: "\(value)"])
      guard case .serve(let configuration) = byFlag else {
        Issue.record("\(flag.name) is no flag")
        continue
      }
      #expect(configuration.limits[keyPath: flag.limit] == value)
      #expect(byFlag == byVariable)
      let both = try Invocation(
        arguments: [flag.name, "\(value)"],
        environment: [flag.variable: "\(flag.range.lowerBound)"]
      )
      #expect(both == byFlag)
      #expect(throws: ConfigurationError.self) { try Invocation(arguments: [flag.name, "x"], environment: [:]) }
      #expect(Invocation.helpText.contains("\n  \(flag.name) "))
    }
  }

  @Test("No path leads out of the page's directory, or to what is hidden") func paths() {
    #expect(StaticFiles.safe(["a", "b.js"]) == "a/b.js")
    for parts in [[], [".."], ["a", ".."], ["."], [".git"], ["a/b"], ["a\\b"], ["a\0"], [""], ["a", ""], ["ä"]] {
      #expect(StaticFiles.safe(parts) == nil)
    }
  }

  @Test("A line of the log is one line, whatever a client calls itself") func lines() {
    let text = Logger(level: .info, format: .text)
    let json = Logger(level: .info, format: .json)
    let words = "a\nb\u{1B}[31m\"c\""
    #expect(
      text.line(.info, words, ["name": .text(words), "n": .number(-1)], at: 0)
        == "1970-01-01T00:00:00.000Z info a b [31m\"c\" name=\"a\\u000ab\\u001b[31m\\\"c\\\"\" n=-1"
    )
    #expect(
      json.line(.error, words, ["name": .text("x")], at: 1_795_196_384_305)
        == "{\"time\":\"2026-11-20T17:39:44.305Z\",\"level\":\"error\",\"message\":\"a\\u000ab\\u001b[31m\\\"c\\\"\",\"name\":\"x\"}"
    )
  }
}
