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

  @Test("a password in a URL is refused where others see it, and taken from the variable, and no message shows it")
  func passwords() throws {
    let url = "postgresql://canvas:secret@db/rooms"
    for arguments in [
      ["--data", url], ["--web=\(url)"], ["log", "verify", "--data", url], ["log", "move", "--from=\(url)"],
    ] {
      let error = #expect(throws: ConfigurationError.self) { try Invocation(arguments: arguments, environment: [:]) }
      let words = error?.words ?? ""
      #expect(words.hasSuffix(Configuration.passwordIsSeen) && !words.contains("secret"), "\(words)")
    }
    guard case .serve(let configuration) = try Invocation(arguments: [], environment: ["CANVAS_DATA": url]) else {
      Issue.record("it doesn't serve")
      return
    }
    #expect(configuration.storage == .postgres(url) && !configuration.storage.description.contains("secret"))
    #expect(Configuration.Storage.memory.description == "memory")
    #expect(Configuration.Storage.directory("rooms").description == "rooms")
    let plain = ["--data", "postgresql://canvas@db/rooms"]
    #expect(throws: Never.self) { try Invocation(arguments: plain, environment: [:]) }
  }

  @Test(
    "a command on stored rooms says what it lacks",
    arguments: [
      (["verify"], "log verify needs --data DIRECTORY"), (["move", "--to", "b"], "log move needs --from PLACE"),
      (["move", "--from", "a"], "log move needs --to PLACE"),
      (["backup", "--data", "a"], "log backup needs --to FILE"),
      ([], "log needs verify, repair, backup or move"), (["look"], "log look: unknown command"),
      (["verify", "--room", "a"], "log verify --room: unknown flag"), (["verify", "--data"], "--data needs a value"),
      (["verify", "--data="], "--data needs a value"),
      (["verify", "--data", "a", "--data", "b"], "--data is given twice"),
      (["repair", "--data", "a", "--cut=1"], "--cut takes no value"),
      (["repair", "--data", "a", "--room", ".."], "--room ..: a room's name is"),
      (["verify", "--data", "memory"], "log verify: nothing is stored in memory"),
      (["repair", "--data", "postgresql://db/rooms"], "log repair is for directories"),
      (["move", "--from", "a", "--to", "a"], "--to a: the rooms need another place"),
      (["move", "--from", "/tmp", "--to", "/tmp/."], "--to /tmp/.: the rooms need another place"),
      (["move", "--from", "a", "--to", "memory"], "--to memory: the rooms need another place"),
    ]
  )
  func commandFaults(arguments: [String], words: String) {
    let error = #expect(throws: ConfigurationError.self) {
      try Invocation(arguments: ["log"] + arguments, environment: ["CANVAS_DATA": ""])
    }
    #expect(error?.words.hasPrefix(words) == true, "\(error?.words ?? "")")
  }

  @Test("a command on stored rooms is read with its place, which a variable may give to all but a move")
  func commands() throws {
    let rooms = Configuration.Storage.directory("rooms")
    for (words, command) in [
      ("verify --data rooms", LogCommand(action: .verify, place: rooms)),
      ("verify", LogCommand(action: .verify, place: .directory("others"))),
      ("repair --data=rooms", LogCommand(action: .repair(room: nil, cutting: false), place: rooms)),
      ("repair --cut --room a --data rooms", LogCommand(action: .repair(room: "a", cutting: true), place: rooms)),
      ("backup --data rooms --to copy", LogCommand(action: .backup(copy: "copy"), place: rooms)),
      (
        "move --from rooms --to postgresql://db/rooms --room a",
        LogCommand(action: .move(place: .postgres("postgresql://db/rooms"), room: "a"), place: rooms)
      ),
    ] {
      let arguments = ["log"] + words.split(separator: " ").map(String.init)
      #expect(try Invocation(arguments: arguments, environment: ["CANVAS_DATA": "others"]) == .log(command), "\(words)")
    }
    for arguments in [["log", "help"], ["log", "verify", "-h"]] {
      #expect(try Invocation(arguments: arguments, environment: [:]) == .help(LogCommand.helpText))
    }
  }

  @Test("An upgrade changes neither what a limit is by default, nor what an operator may set it to") func contract() {
    let known: [(name: String, standard: UInt64, range: ClosedRange<UInt64>)] = [
      ("--max-message-bytes", 1_048_576, 16_384...67_108_864),
      ("--max-ops-per-message", 1_024, 1...65_536),
      ("--max-ops-per-second", 2_000, 1...1_000_000),
      ("--max-shapes", 100_000, 1...10_000_000),
      ("--max-text-bytes", 16_777_216, 4_096...4_294_967_296),
      ("--max-erasures", 1_000_000, 1...100_000_000),
      ("--min-erasure-ms", 3_600_000, 1_000...31_536_000_000),
      ("--max-clock-ahead-ms", 60_000, 1_000...86_400_000),
      ("--horizon-ms", 2_592_000_000, 60_000...3_153_600_000_000),
      ("--max-presence-bytes", 4_096, 2...65_536),
      ("--presence-interval-ms", 30, 0...60_000),
      ("--max-messages-per-second", 200, 1...1_000_000),
      ("--max-bytes-per-second", 1_048_576, 16_384...1_073_741_824),
      ("--message-ms", 60_000, 100...86_400_000),
      ("--max-refusals-ignored", 100, 1...1_000_000),
      ("--max-name-bytes", 128, 1...128),
      ("--max-rooms", 10_000, 1...1_000_000_000),
      ("--max-connections", 20_000, 1...1_000_000_000),
      ("--max-connections-per-address", 1_000, 1...1_000_000_000),
      ("--max-http-connections", 5_000, 1...1_000_000_000),
      ("--max-http-connections-per-address", 1_000, 1...1_000_000_000),
      ("--max-http-bytes", 536_870_912, 8_388_608...1_099_511_627_776),
      ("--max-unfinished-bytes", 67_108_864, 65_536...1_099_511_627_776),
      ("--day-bytes-per-address", 2_147_483_648, 1_024...1_125_899_906_842_624),
      ("--day-bytes-per-token", 8_589_934_592, 1_024...1_125_899_906_842_624),
      ("--day-rooms-per-address", 2_000, 1...1_000_000_000),
      ("--day-rooms-per-token", 10_000, 1...1_000_000_000),
      ("--storage-reserve-bytes", 268_435_456, 0...1_125_899_906_842_624),
      ("--upload-stall-ms", 10_000, 100...600_000),
      ("--max-connections-per-room", 2_000, 1...1_000_000),
      ("--max-named-people", 100, 1...100_000),
      ("--max-showing-people", 250, 1...100_000),
      ("--presence-bytes-per-second", 62_000, 1_000...1_000_000_000),
      ("--hello-ms", 10_000, 10...600_000),
      ("--idle-ms", 30_000, 1_000...86_400_000),
      ("--pong-ms", 10_000, 100...86_400_000),
      ("--beat-ms", 10, 0...1_000),
      ("--max-beat-ops", 4_096, 1...1_000_000),
      ("--ring-bytes", 1_048_576, 0...1_073_741_824),
      ("--ring-beats", 1_024, 1...1_000_000),
      ("--max-state-streams", 8, 1...1_000),
      ("--max-waiting-bytes", 262_144, 1_024...1_073_741_824),
      ("--max-ops-in-flight", 8_192, 1...1_000_000),
      ("--room-idle-ms", 60_000, 0...86_400_000),
      ("--max-overlaps", 20_000, 1...10_000_000),
      ("--max-overlap-steps", 500, 1...1_000_000),
      ("--index-idle-ms", 30_000, 0...86_400_000),
      ("--history-ms", 604_800_000, 0...3_153_600_000_000),
      ("--verify-every-ms", 86_400_000, 0...31_536_000_000),
      ("--verify-bytes-per-second", 1_048_576, 1...1_099_511_627_776),
      ("--verify-turn-ms", 50, 1...1_000),
    ]
    let limits = Limits()
    #expect(known.map(\.name) == Limits.flags.map(\.name))
    for (known, flag) in zip(known, Limits.flags) {
      #expect(known.standard == limits[keyPath: flag.limit] && known.range == flag.range, "\(flag.name)")
    }
  }

  @Test("a flag without its value is told, and an unknown one with the one that was meant") func missingValues() {
    for (arguments, words) in [
      (["--port"], "--port needs a value"), (["--open", "--max-shapes"], "--max-shapes needs a value"),
      (["--prot", "1"], "--prot: unknown flag. Did you mean --port? --help lists all flags."),
      (["rooms"], "rooms: unknown flag. --help lists all flags."),
    ] {
      #expect(throws: ConfigurationError(words: words)) { try Invocation(arguments: arguments, environment: [:]) }
    }
  }

  @Test("the address in the log is one that a browser takes") func address() {
    var configuration = Configuration()
    #expect(configuration.address(port: 8_080) == "http://127.0.0.1:8080")
    configuration.host = "::1"
    #expect(configuration.address(port: 80) == "http://[::1]:80")
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
    Setting(name: "--jwt-keys", values: ["a", "b"], bad: [""], expectation: "a file or a directory") {
      $0.signingKeys = $1
    },
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

  @Test("The default that the help gives for a setting is what holds without it") func defaults() throws {
    for option in Option.all {
      // These words stand for no value.
      guard let standard = option.standard, !["none", "this machine"].contains(standard) else { continue }
      let read = try Invocation(arguments: ["\(option.name)=\(standard)"], environment: [:])
      #expect(read == .serve(Configuration()), "\(option.name)")
    }
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
    let (deep, long) = (Array(repeating: "a", count: 8), String(repeating: "a", count: 255))
    #expect(StaticFiles.safe(deep) == "a/a/a/a/a/a/a/a" && StaticFiles.safe([long]) == long)
    for parts in [
      [], [".."], ["a", ".."], ["."], [".git"], ["a/b"], ["a\\b"], ["a\0"], [""], ["a", ""], ["ä"], ["a b"],
      ["a\u{7F}"], deep + ["a"], [long + "a"],
    ] {
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
