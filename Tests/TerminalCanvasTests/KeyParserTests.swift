import CanvasCRDT
import TerminalCanvas
import TestSupport
import Testing

@Suite("Input from a terminal")
struct KeyParserTests {
  private func events(_ text: String) -> [TerminalEvent] {
    var parser = KeyParser()
    return parser.feed(Array(text.utf8)) + parser.timeout()
  }

  struct Sent: Sendable {
    let bytes: String
    let key: Key
    let modifiers: Modifiers

    init(_ bytes: String, _ key: Key, _ modifiers: Modifiers = []) {
      self.bytes = bytes
      self.key = key
      self.modifiers = modifiers
    }
  }

  static let known: [Sent] = [
    Sent("a", .character("a")), Sent("A", .character("A")), Sent("é", .character("é")),
    Sent("太", .character("太")), Sent("\r", .enter), Sent("\t", .tab), Sent("\u{1B}[Z", .tab, .shift),
    Sent("\u{7F}", .backspace),
    Sent("\u{3}", .character("c"), .control), Sent("\u{1B}", .escape), Sent("\u{1B}x", .character("x"), .alt),
    Sent("\u{1B}[A", .up), Sent("\u{1B}OB", .down), Sent("\u{1B}[1;2C", .right, .shift),
    Sent("\u{1B}[1;5D", .left, .control),
    Sent("\u{1B}[1;3A", .up, .alt), Sent("\u{1B}[H", .home), Sent("\u{1B}[4~", .end), Sent("\u{1B}[3~", .delete),
    Sent("\u{1B}[5~", .pageUp), Sent("\u{1B}[6;2~", .pageDown, .shift), Sent("\u{1B}OP", .function(1)),
    Sent("\u{1B}[15~", .function(5)), Sent("\u{1B}[24~", .function(12)), Sent("\u{1B}[[B", .function(2)),
    Sent("\u{1B}[97;5u", .character("a"), .control), Sent("\u{1B}[27;2;13~", .enter, .shift),
    Sent("\n", .enter), Sent("\u{8}", .backspace), Sent("\0", .character(" "), .control),
    Sent("\u{1A}", .character("z"), .control), Sent("\u{1F}", .character("_"), .control),
    Sent("\u{1B}\u{7F}", .backspace, .alt), Sent("\u{1B}é", .character("é"), .alt), Sent("\u{1B}[F", .end),
    Sent("\u{1B}[1~", .home), Sent("\u{1B}[7~", .home), Sent("\u{1B}[8~", .end), Sent("\u{1B}[2~", .insert),
    Sent("\u{1B}[11~", .function(1)), Sent("\u{1B}[17~", .function(6)), Sent("\u{1B}[21~", .function(10)),
    Sent("\u{1B}[23~", .function(11)), Sent("\u{1B}[1;6S", .function(4), [.shift, .control]),
    Sent("\u{1B}[[E", .function(5)),
    Sent("\u{1B}[9;2u", .tab, .shift), Sent("\u{1B}[27u", .escape), Sent("\u{1B}[127;3u", .backspace, .alt),
    Sent("\u{1B}[8u", .backspace), Sent("\u{1B}[32u", .character(" ")),
    Sent("\u{1B}[97:65;2u", .character("a"), .shift),
    Sent("\u{1B}[1;8B", .down, [.shift, .alt, .control]), Sent("\u{1B}[1;65A", .up), Sent("\u{1B}OM", .enter),
  ]

  @Test("Keys", arguments: known)
  func keys(_ sent: Sent) {
    #expect(events(sent.bytes) == [.key(sent.key, sent.modifiers)])
  }

  @Test(
    "The mouse",
    arguments: [
      ("\u{1B}[<0;1;1M", Mouse(.press, .left, row: 0, column: 0)),
      ("\u{1B}[<0;120;36m", Mouse(.release, .left, row: 35, column: 119)),
      ("\u{1B}[<34;5;6M", Mouse(.drag, .right, row: 5, column: 4)),
      ("\u{1B}[<35;5;6M", Mouse(.move, .none, row: 5, column: 4)),
      ("\u{1B}[<64;300;6M", Mouse(.wheelUp, .none, row: 5, column: 299)),
      ("\u{1B}[<81;3;6M", Mouse(.wheelDown, .none, row: 5, column: 2, modifiers: .control)),
      ("\u{1B}[<9;3;6M", Mouse(.press, .middle, row: 5, column: 2, modifiers: .alt)),
      ("\u{1B}[<6;3;6M", Mouse(.press, .right, row: 5, column: 2, modifiers: .shift)),
      ("\u{1B}[<66;3;6M", Mouse(.wheelLeft, .none, row: 5, column: 2)),
      ("\u{1B}[<67;3;6M", Mouse(.wheelRight, .none, row: 5, column: 2)),
    ]
  )
  func mouse(_ bytes: String, _ mouse: Mouse) {
    #expect(events(bytes) == [.mouse(mouse)])
  }

  @Test(
    "What isn't the mouse, or no key, means nothing",
    arguments: [
      "\u{1B}[<0;0;1M", "\u{1B}[<0;1;0M", "\u{1B}[<0;1M", "\u{1B}[<0;1;1;1M", "\u{1B}[<0;1;1A", "\u{1B}[<128;3;6M",
      "\u{1B}[I1I", "\u{1B}[3M", "\u{1B}[1I", "\u{1B}[1O", "\u{1B}[128u", "\u{1B}[159u", "\u{1B}[55296u", "\u{1B}[10u",
      "\u{1B}[16~", "\u{1B}[22~", "\u{1B}[25~", "\u{1B}[27;2~", "\u{1B}[?1;2c", "\u{1B}[>1A",
    ]
  )
  func nothing(_ bytes: String) {
    let focus =
      bytes == "\u{1B}[I1I" ? [TerminalEvent.focus(true), .key(.character("1"), []), .key(.character("I"), [])] : []
    #expect(events(bytes) == focus)
  }

  @Test("Pasted bytes are text, whatever they are")
  func paste() {
    #expect(events("\u{1B}[200~a\u{1B}[Bq\r太\u{1B}[201~x") == [.paste("a\u{1B}[Bq\r太"), .key(.character("x"), [])])
    #expect(events("\u{1B}[200~\u{1B}[20\u{1B}[201~") == [.paste("\u{1B}[20")])
    let long = String(repeating: "y", count: 100_000)
    guard case .paste(let kept)? = events("\u{1B}[200~\(long)\u{1B}[201~").first else {
      Issue.record("no paste")
      return
    }
    #expect((2 * PropertyRules.textBytesMax...20_000).contains(kept.utf8.count))
  }

  @Test("A paste whose end was lost ends with Control-C, if that comes by itself")
  func pasteWithoutEnd() {
    var parser = KeyParser()
    #expect(parser.feed(Array("\u{1B}[200~a\u{3}q".utf8)) + parser.timeout() + parser.feed(Array("q".utf8)) == [])
    #expect(parser.feed([3]) == [.paste("a\u{3}qq"), .key(.character("c"), .control)])
    #expect(parser.feed(Array("q".utf8)) == [.key(.character("q"), [])])
  }

  @Test("Control characters of two bytes are no keys")
  func controlsOfTwoBytes() {
    #expect(events("\u{80}\u{9B}\u{9F}\u{A0}") == [.key(.character("\u{A0}"), [])])
  }

  @Test("Focus, and the terminal's answer about its background")
  func answers() {
    #expect(events("\u{1B}[I\u{1B}[O") == [.focus(true), .focus(false)])
    #expect(events("\u{1B}]11;rgb:ffff/8080/00\u{7}") == [.background(red: 255, green: 128, blue: 0)])
    #expect(
      events("\u{1B}]11;rgb:1/2/3\u{1B}\\a") == [.background(red: 17, green: 34, blue: 51), .key(.character("a"), [])]
    )
    #expect(events("\u{1B}]52;c;AAAA\u{7}\u{1B}P1$r0m\u{1B}\\b") == [.key(.character("b"), [])])
    for answer in ["P>|xterm(370)", "P!|00000000", "P$r0m", "P+r544e", "_Gi=31;OK"] {
      #expect(events("\u{1B}\(answer)\u{1B}\\b") == [.key(.character("b"), [])], "\(answer)")
    }
    for answer in [
      "10;rgb:1/2/3", "11;rgb:1/2", "11;rgb:1/2/3/4", "11;rgb:1/2/", "11;rgb:1/2/12345", "11;rgb:1/2/x",
      "11;rgb:1/2/-1",
    ] {
      #expect(events("\u{1B}]\(answer)\u{7}") == [], "\(answer)")
    }
    // An answer that is broken off is no key, and what breaks it off is one.
    #expect(events("\u{1B}]11;rgb:1\rq") == [.key(.enter, []), .key(.character("q"), [])])
    #expect(events("\u{1B}]11;rgb:000/7ff/fff\u{7}") == [.background(red: 0, green: 127, blue: 255)])
  }

  @Test("Sequences may come in any pieces")
  func pieces() {
    let bytes = Array("\u{1B}[<0;12;3M\u{1B}[1;2Cé太a\u{1B}OP\u{1B}[200~x\u{1B}[201~\u{1B}[A".utf8)
    var whole = KeyParser()
    let expected = whole.feed(bytes)
    #expect(expected.count == 8)
    for cut in 1..<bytes.count {
      var parser = KeyParser()
      #expect(parser.feed(bytes[..<cut]) + parser.feed(bytes[cut...]) == expected)
    }
    var parser = KeyParser()
    #expect(bytes.flatMap { parser.feed([$0]) } == expected)
  }

  @Test(
    "A sequence that is cut by a pause is no keys, wherever it is cut",
    arguments: [
      "\u{1B}[<35;10;5M", "\u{1B}[<0;120;36m", "\u{1B}]11;rgb:1c1c/cece/eeee\u{1B}\\",
      "\u{1B}]11;rgb:1c1c/cece/eeee\u{7}",
      "\u{1B}[200~see\u{1B}[201~", "\u{1B}OP", "\u{1B}[97;5u", "\u{1B}P1$r0m\u{1B}\\", "\u{1B}[I", "太",
      "\u{1B}[A", "\u{1B}[H", "\u{1B}[Z", "\u{1B}[O", "\u{1B}[[B", "\u{1B}OA", "\u{1B}OF", "\u{1B}OS",
    ]
  )
  func pauses(_ text: String) {
    let bytes = Array(text.utf8)
    var whole = KeyParser()
    let expected = whole.feed(bytes)
    for cut in 1..<bytes.count {
      var parser = KeyParser()
      var got = parser.feed(bytes[..<cut]) + parser.timeout() + parser.feed(bytes[cut...])
      // If the timeout comes after a lone escape byte, that byte is the key Escape, whatever follows.
      if cut == 1, got.first == .key(.escape, []) { got.removeFirst() }
      // If ESC P arrives in one read and the rest in another, or ESC and then the rest, the rest looks like typed keys. This is accepted, because
      // the program never asks the terminal for an answer that begins with ESC P.
      if cut <= 2, bytes[1] == UInt8(ascii: "P") { continue }
      #expect(got == expected, "cut after \(cut)")
      #expect(parser.feed(Array("q".utf8)) == [.key(.character("q"), [])])
    }
  }

  @Test("Alt with a key that looks like the beginning of a sequence leaves the keyboard alive")
  func altKeys() {
    #expect(events("\u{1B}]q") == [.key(.character("]"), .alt), .key(.character("q"), [])])
    #expect(
      events("\u{1B}P\u{3}q")
        == [.key(.character("P"), .alt), .key(.character("c"), .control), .key(.character("q"), [])]
    )
    #expect(events("\u{1B}_\rq") == [.key(.character("_"), .alt), .key(.enter, []), .key(.character("q"), [])])
    var parser = KeyParser()
    #expect(parser.feed(Array("\u{1B}P".utf8)) == [.key(.character("P"), .alt)])
    #expect(parser.feed(Array("1".utf8)) == [.key(.character("1"), [])])
    for key in "P_X^" {
      #expect(
        events("\u{1B}\(key)two")
          == [.key(.character(key.unicodeScalars.first!), .alt)] + "two".unicodeScalars.map { .key(.character($0), []) }
      )
    }
    #expect(events("\u{1B}O\u{1B}[A") == [.key(.up, [])])
  }

  @Test("An escape alone is the key Escape, once nothing follows it")
  func escape() {
    var parser = KeyParser()
    #expect(parser.feed([0x1B]) == [])
    #expect(parser.isWaiting)
    #expect(parser.timeout() == [.key(.escape, [])])
    #expect(!parser.isWaiting)
    // After the timeout, a single character is a key of its own and doesn't continue the escape sequence.
    #expect(parser.feed(Array("[".utf8)) == [.key(.character("["), [])])
    #expect(parser.feed([0x1B, 0x1B]) == [.key(.escape, [])])
    #expect(parser.timeout() == [.key(.escape, [])])
  }

  @Test("Hostile or broken input is skipped", arguments: 0..<20)
  func hostile(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var parser = KeyParser()
    let likely = Array("\u{1B}[]<;:0123456789~Mm\u{7}\\OP?u".utf8)
    for _ in 0..<2_000 {
      let byte =
        Bool.random(using: &generator)
        ? likely.randomElement(using: &generator)! : UInt8.random(in: 0...255, using: &generator)
      _ = parser.feed([byte])
      if Int.random(in: 0..<50, using: &generator) == 0 { _ = parser.timeout() }
    }
    // These bytes end any sequence that the parser may be in.
    _ = parser.feed(Array("\u{1B}\\\u{1B}[201~\u{1B}\\".utf8)) + parser.timeout()
    #expect(parser.feed(Array("z".utf8)) == [.key(.character("z"), [])])
    #expect(events("\u{1B}[<99999999999999999999;1;1M\u{1B}[999999999Cq").last == .key(.character("q"), []))
    #expect(events("\u{1B}[\(String(repeating: "1;", count: 5_000))Aq") == [.key(.character("q"), [])])
  }
}
