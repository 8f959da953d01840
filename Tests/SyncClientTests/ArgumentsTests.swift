import CanvasCRDT
import Testing

@testable import sync_client

@Suite struct ArgumentsTests {
  private let command = Command(
    name: "try",
    group: .operating,
    operands: [.one("ROOM"), .optional("X"), .any("WORD")],
    summary: "",
    options: [Option("--speed", "N", ""), Option("--loud", nil, "")]
  ) { _ in .success }

  private func read(_ words: String...) throws(ClientFailure) -> Arguments { try Arguments(words, for: command) }

  @Test("options stand anywhere, with their value behind them or behind an equals sign") func options() throws {
    let arguments = try read("--speed", "3", "demo", "--loud", "--name=A=B")
    #expect(arguments.operands == ["demo"])
    #expect(arguments["--speed"] == "3" && arguments.has("--loud") && arguments["--name"] == "A=B")
    #expect(!arguments.has("--json"))
  }

  @Test("negative numbers, a hyphen alone and what follows two hyphens are operands") func operands() throws {
    #expect(
      try read("demo", "-3", "-.5", "-", "--", "--loud", "-x").operands == ["demo", "-3", "-.5", "-", "--loud", "-x"]
    )
  }

  @Test("a word that can't be understood is refused by name") func refusals() {
    for (words, said) in [
      ([], "needs ROOM"), (["demo", "--fast"], "--fast"), (["demo", "--speed"], "--speed needs a value: N"),
      (["demo", "--loud=1"], "takes no value"), (["demo", "-x"], "-x"),
    ] {
      #expect {
        try Arguments(words, for: command)
      } throws: { error in
        guard let failure = error as? ClientFailure, case .usage(let told) = failure else { return false }
        return told.contains(said) && failure.exitCode == .wrongWords
      }
    }
  }

  @Test(
    "a mistyped word is answered with the one that was probably meant",
    arguments: [
      ("wacth", "watch"), ("shw", "show"), ("room", "rooms"), ("exp", "export"), ("renmae", "rename"),
      ("wath", "watch"), ("wetch", "watch"), ("ranama", "rename"),
      ("list", "rooms"), ("rm", "delete"),
      ("dance", nil), ("", nil), ("r", nil), ("re", nil), ("watchwatch", nil),
    ] as [(String, String?)]
  )
  func suggestions(word: String, meant: String?) {
    let question = meant.map { " Did you mean \($0)?" } ?? ""
    #expect(
      throws: ClientFailure.usage(
        "\(word): there is no such command.\(question) sync-client --help lists all commands."
      )
    ) {
      try CommandTable.all.command(named: word)
    }
  }

  @Test("numbers and times keep to their bounds") func values() throws {
    let arguments = try read("demo", "--speed", "2.5")
    #expect(try arguments.number("--speed", in: 0...3, standard: 1) == 2.5)
    #expect(throws: ClientFailure.self) { try arguments.number("--speed", in: 0...2, standard: 1) }
    #expect(throws: ClientFailure.self) { try arguments.integer("--speed", in: 0...9, standard: 1) }
    #expect(try arguments.integer("--other", in: 0...9, standard: 4) == 4)
    #expect(throws: ClientFailure.self) { try read("demo", "--speed", "nan").number("--speed", in: 0...9, standard: 1) }
  }

  @Test(
    "a moment is a date, a number of milliseconds or how long ago",
    arguments: [
      ("1763650000000", 1_763_650_000_000), ("10m", 1_763_649_400_000),
      ("10m ago", 1_763_649_400_000), ("2025-11-20T14:46:40Z", 1_763_650_000_000),
      ("2025-11-20T14:46Z", 1_763_649_960_000), ("2025-11-20Z", 1_763_596_800_000),
      ("2024-02-29T00:00Z", 1_709_164_800_000),
    ] as [(String, UInt64)]
  )
  func moments(text: String, milliseconds: UInt64) {
    #expect(TimeWords.milliseconds(text, now: 1_763_650_000_000) == milliseconds)
  }

  @Test("a server is a host and a port, with or without ws, and by TLS where that is said") func servers() throws {
    for (text, authority) in [
      ("ws://127.0.0.1:9000", "127.0.0.1:9000"), ("http://127.0.0.1:9000/", "127.0.0.1:9000"),
      ("localhost", "localhost:8080"), ("localhost:81", "localhost:81"), ("ws://localhost", "localhost:80"),
      ("[::1]:8080", "[::1]:8080"), ("ws://[::1]:1", "[::1]:1"),
    ] {
      #expect(try ServerAddress(text).authority == authority)
      #expect(try !ServerAddress(text).endpoint("/").isSecure)
    }
    for (text, authority) in [
      ("wss://localhost", "localhost:443"), ("https://localhost/", "localhost:443"), ("wss://[::1]:1", "[::1]:1"),
    ] {
      #expect(try ServerAddress(text).authority == authority)
      #expect(try ServerAddress(text).endpoint("/").isSecure)
    }
    for text in ["wss://localhost/path", "ws://localhost/path", "ws://localhost:0", "", "ws://", "ftp:x"] {
      #expect(throws: ClientFailure.self, "\(text)") { try ServerAddress(text) }
    }
  }

  @Test("who has named no server is told how to start one, and who has named one is not") func nobodyAnswers() throws {
    #expect(try ConnectionWords.nobody(ServerAddress("ws://127.0.0.1:8080")).contains("start one with make run"))
    #expect(try ConnectionWords.nobody(ServerAddress("ws://127.0.0.1:81")) == "no server answers there")
  }

  @Test("a colour may go without the sign that a shell takes for a remark") func colors() throws {
    for word in ["#E4572E", "E4572E", "#e4572e"] {
      #expect(try invocation(["show", "room", "--color", word]).color == Color(packed: 0xE4572E))
    }
    #expect(try ColorWords.color("F80") == Color(packed: 0xFF8800))
    #expect(try ColorWords.color("RebeccaPurple") == Color(packed: 0x663399))
    for word in ["", "#", "F8", "#12345", "reddish brown"] {
      #expect(throws: ClientFailure.self, "\(word)") { try ColorWords.color(word) }
    }
  }

  @Test("properties are read as the contract has them") func properties() throws {
    let set = try PropertyWords.read([
      "name=A=B", "position=-1,2.5", "size=80x60", "fill=#ff0000", "visible=no", "alpha=3", "z=V", "kind=star",
    ])
    #expect(set.name == "A=B" && set.position == Point(x: -1, y: 2.5) && set.size == Size(width: 80, height: 60))
    #expect(set.fill == Color(red: 255, green: 0, blue: 0) && !set.visible && set.alpha == 3 && set.kind == .star)
    for word in [
      "fill=reed", "fill=#FF00", "alpha=11", "alpha=1", "alpha=75%", "alpha=0%", "alpha=0.05", "alpha=x", "size=1",
      "size=0,0", "deleted=yes", "x=1", "name", "rotation=nan", "name=",
      "visible=perhaps",
    ] {
      #expect(throws: ClientFailure.self, "\(word)") { try PropertyWords.read([word]) }
    }
  }

  @Test("a long description is broken into lines beside what it describes, and has each word once") func columns() {
    let words = (1...40).map { "word\($0)" }
    for name in ["--short", String(repeating: "x", count: 50)] {
      let lines = HelpText.columns([(name, words.joined(separator: " "))])
      #expect(lines.count > 2 && lines.allSatisfy { $0.count <= 96 })
      #expect(lines.joined(separator: " ").split(separator: " ").map(String.init) == [name] + words)
    }
  }

  @Test("every command has a help with examples, and every example its command's words") func examples() throws {
    for command in CommandTable.all.commands {
      #expect(CommandTable.all.helpText.contains("\n  \(command.name) "), "\(command.name)")
      #expect(!command.examples.isEmpty, "\(command.name)")
      #expect(command.helpText.contains("Examples"))
      for option in command.allOptions + Option.common {
        #expect(command.helpText.contains("\n  \(option.shown) "), "\(command.name) \(option.name)")
      }
      for example in command.examples where !example.contains("|") && !example.contains("<") && !example.contains(">") {
        // As for a shell, a space between quotes separates no words.
        let parts = example.split(separator: "'", omittingEmptySubsequences: false).enumerated()
        let line = parts.map { index, part in
          String(index.isMultiple(of: 2) ? part : part.replacing(" ", with: "_"))
        }
        var words = line.joined().split(separator: " ").map(String.init)
        let name = words.removeFirst()
        #expect(name == command.name)
        #expect(throws: Never.self, "\(example)") { try Arguments(words, for: command) }
      }
    }
    for option in Option.common { #expect(CommandTable.all.helpText.contains("\n  \(option.shown) ")) }
    #expect(CommandTable.all.helpText.contains("\n  add ROOM [KIND] [PROPERTY=VALUE…] "))
    #expect(CommandTable.all.helpText.contains("\nExit codes: 0 "))
  }
}
