import CommandWords
import Testing

@testable import SyncServer

@Suite("Flags and variables") struct ConfigurationTests {
  @Test("A flag goes before its variable, and every limit has both") func limits() throws {
    let limits = Set(Limits.flags.map { $0.limit as PartialKeyPath<Limits> })
    #expect(limits.count == Limits.flags.count, "each sets a limit of its own")
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
      #expect(Configuration.helpText.contains("\n  \(flag.name) "))
      let below = flag.range.lowerBound > 0 ? ["\(flag.range.lowerBound - 1)"] : []
      for bad in below + ["\(flag.range.upperBound + 1)", "x", "-1", "", "1.5", "99999999999999999999"] {
        expectRefusal(of: bad, flag.name, flag.variable, "\(flag.range.lowerBound) to \(flag.range.upperBound)")
      }
      for end in [flag.range.lowerBound, flag.range.upperBound] {
        #expect(throws: Never.self) { try Invocation(arguments: [flag.name, "\(end)"], environment: [:]) }
      }
    }
  }

  /// Checks that a value is refused, both as a flag and as a variable. The message must name the value and say what is
  /// allowed.
  private func expectRefusal(of value: String, _ name: String, _ variable: String, _ expectation: String) {
    for (said, arguments, environment) in [
      ("\(name) \(value)", [name, value], [:]), ("\(variable)=\(value)", [], [variable: value]),
    ] {
      let error = #expect(throws: ConfigurationError.self) {
        try Invocation(arguments: arguments, environment: environment)
      }
      let words = error?.words ?? ""
      #expect(words.hasPrefix("\(said): ") && words.contains(expectation), "\(words)")
    }
  }

  @Test(
    "a place that was meant as a database's address is refused without repeating it",
    arguments: [
      "postgrsql://canvas:secret@db/rooms", "PostgreSQL://canvas:secret@db/rooms",
      "\"postgresql://canvas:secret@db/rooms\"",
      " postgresql://canvas:secret@db/rooms", "host=db user=canvas password=secret", "user=canvas host=secret",
      "'dbname=secret'",
    ]
  )
  func misspeltPlace(place: String) {
    let ways: [([String], [String: String])] = [
      (["--data", place], [:]), (["--data=\(place)"], [:]), ([], ["CANVAS_DATA": place]),
      (["log", "verify", "--data", place], [:]), (["log", "verify"], ["CANVAS_DATA": place]),
      (["log", "move", "--from", "rooms", "--to", place], [:]),
    ]
    for (arguments, environment) in ways {
      let error = #expect(throws: ConfigurationError.self) {
        try Invocation(arguments: arguments, environment: environment)
      }
      let words = error?.words ?? ""
      #expect(words.contains("begins with postgresql://") && !words.contains("secret"), "\(words)")
    }
  }

  private struct Setting: Sendable {
    let name: String
    let values: [String]
    let bad: [String]
    /// The part of the message that says what is allowed.
    let expectation: String
    let set: @Sendable (inout Configuration, String) -> Void
  }

  private static let settings = [
    Setting(name: "--host", values: ["::1", "localhost"], bad: [""], expectation: "an address") { $0.host = $1 },
    Setting(name: "--port", values: ["0", "65535"], bad: ["", "-1", "65536", "http"], expectation: "0 to 65535") {
      $0.port = Int($1)!
    },
    Setting(name: "--data", values: ["rooms", "memory"], bad: [""], expectation: "a directory") {
      $0.storage = Configuration.Storage($1)
    },
    Setting(name: "--web", values: ["page", "."], bad: [""], expectation: "a directory") { $0.web = $1 },
    Setting(name: "--tokens", values: ["a", "b"], bad: [""], expectation: "a file") { $0.tokens = $1 },
    Setting(
      name: "--log-level",
      values: ["error", "warning", "info", "debug"],
      bad: ["", "loud", "Info"],
      expectation: "error, warning, info or debug"
    ) { $0.logLevel = Logger.Level($1)! },
    Setting(name: "--log-format", values: ["json", "text"], bad: ["", "xml"], expectation: "text or json") {
      $0.logFormat = $1 == "json" ? .json : .text
    },
    Setting(
      name: "--proxies",
      values: ["::1,10.0.0.0/8", "127.0.0.1", ""],
      bad: [",", "127.0.0.1,", ",::1", "localhost", "10.0.0.0/33"],
      expectation: "numeric addresses"
    ) { $0.proxies = Proxies($1)! },
    Setting(
      name: "--hosts",
      values: ["canvas.example.com, [::1]:8080", "a.example", "*", ""],
      bad: [",", "a.example,", "https://a.example", "a b", "a/b"],
      expectation: "names such as"
    ) { _ = $0.sites.setHosts($1) },
    Setting(
      name: "--origins",
      values: ["https://a.example, http://localhost:3000", "http://[::1]", "*", ""],
      bad: [",", "a.example", "https://a.example/", "null", "ftp://a.example"],
      expectation: "sites such as"
    ) { _ = $0.sites.setOrigins($1) },
    Setting(name: "--jwt-keys", values: ["a", "b"], bad: [""], expectation: "a file") { $0.signingKeys = $1 },
    Setting(name: "--jwt-audience", values: ["a", "b"], bad: [""], expectation: "a name") {
      $0.tokenTerms.audience = $1
    },
    Setting(name: "--jwt-leeway", values: ["0", "3600"], bad: ["", "-1", "3601", "x"], expectation: "0 to 3600") {
      $0.tokenTerms.leewaySeconds = UInt64($1)!
    },
    Setting(
      name: "--open",
      values: ["true", "1", "yes", "on", "false", "0", "no", "off", ""],
      bad: ["maybe", "TRUE"],
      expectation: "true or false"
    ) { $0.isOpen = ["true", "1", "yes", "on"].contains($1) },
    Setting(name: "--audit", values: ["a", "b"], bad: [""], expectation: "a file") { $0.audit = $1 },
  ]

  /// Flags without a value. Another test covers wrong values of their environment variables.
  private static let switches: Set<String> = ["--open"]

  @Test("Every other setting has a flag and a variable, the flag goes before, and what it can't be is refused")
  func settings() throws {
    #expect(ConfigurationTests.settings.map(\.name).sorted() == Option.all.map(\.name).sorted())
    for setting in ConfigurationTests.settings {
      let variable = "CANVAS_" + setting.name.dropFirst(2).uppercased().replacing("-", with: "_")
      for (index, value) in setting.values.enumerated() {
        var expected = Configuration()
        setting.set(&expected, value)
        let other = setting.values[(index + 1) % setting.values.count]
        for (arguments, environment) in [
          (["\(setting.name)=\(value)"], [:]), ([], [variable: value]),
          (["\(setting.name)=\(value)"], [variable: other]),
        ] {
          let read = try Invocation(arguments: arguments, environment: environment)
          #expect(read == .serve(expected), "\(arguments) \(environment)")
        }
      }
      for bad in setting.bad where !ConfigurationTests.switches.contains(setting.name) {
        expectRefusal(of: bad, setting.name, variable, setting.expectation)
      }
      #expect(Configuration.helpText.contains("\n  \(setting.name) "))
    }
    #expect(Proxies("")?.isEmpty == true, "an empty variable is nobody's")
  }

  @Test("A variable that nobody reads is named, with the one that was meant; the client's are no mistake")
  func variables() throws {
    #expect(SyncServer.Setting.all.map(\.variable).sorted() == Variables.server.sorted())
    // The last two of them are read by tests.
    let environment = [
      "CANVAS_": "", "CANVAS_MAX_SHAPE": "5", "PATH": "", "CANVAS_SERVER": "x", "CANVAS_SOAK": "1", "CANVAS_STORY": "7",
    ]
    guard case .serve(let configuration) = try Invocation(arguments: [], environment: environment) else {
      Issue.record("it doesn't serve")
      return
    }
    #expect(
      configuration.complaints == [
        "the variable CANVAS_ means nothing.",
        "the variable CANVAS_MAX_SHAPE means nothing. Did you mean CANVAS_MAX_SHAPES?",
      ]
    )
  }

  @Test("Where a shell completes, a command of two words is one word to its patterns", arguments: ["bash", "zsh"])
  func completion(shell: String) {
    guard case .text(let script)? = Manual.server.answer(to: ["--completion", shell]) else {
      Issue.record("no script")
      return
    }
    #expect(script.contains(#"log\ verify"#))
  }

  @Test("A switch needs no value, and takes one behind a sign only")
  func switches() throws {
    var expected = Configuration()
    expected.isOpen = true
    #expect(try Invocation(arguments: ["--open"], environment: [:]) == .serve(expected))
    expected.port = 1
    #expect(try Invocation(arguments: ["--open", "--port", "1"], environment: [:]) == .serve(expected))
    for (arguments, environment) in [
      (["--open=maybe"], [:]), ([], ["CANVAS_OPEN": "maybe"]), (["--open", "false"], [:]),
    ] {
      #expect(throws: ConfigurationError.self) { try Invocation(arguments: arguments, environment: environment) }
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
