import CanvasCRDT
import TerminalCanvas
import TestSupport
import Testing

@Suite("Changing one screen into another")
struct ScreenDiffTests {
  private static let texts = ["a", "Sonne", "太陽", "é", "e\u{301}x", "→", "👨‍👩‍👧", "     ", "▀▌"]

  /// A copy of the screen with a few changed cells.
  private static func changed(_ screen: Screen, using generator: inout SeededGenerator) -> Screen {
    var screen = screen
    let depth = ColorDepth.allCases.randomElement(using: &generator)!
    for _ in 0..<Int.random(in: 1...6, using: &generator) {
      let look = Screen.Look(
        depth.ink(Color(packed: UInt32.random(in: 0...0xFFFFFF, using: &generator))),
        on: Bool.random(using: &generator) ? depth.ink(Color(packed: 0x15171A)) : nil,
        Cell.Style(rawValue: UInt8.random(in: 0...15, using: &generator))
      )
      screen.write(
        texts.randomElement(using: &generator)!,
        row: Int.random(in: -1...screen.rows, using: &generator),
        column: Int.random(in: -2...screen.columns, using: &generator),
        look
      )
    }
    return screen
  }

  @Test("A terminal that gets the differences shows the same as one that gets everything", arguments: 0..<40)
  func sameAsWhole(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var before = Screen(columns: 23, rows: 5)
    var terminal = EmulatedTerminal(columns: 23, rows: 5)
    terminal.feed(ScreenDiff.bytes(from: nil, to: before))
    for _ in 0..<30 {
      let after = Self.changed(before, using: &generator)
      terminal.feed(ScreenDiff.bytes(from: before, to: after))
      var whole = EmulatedTerminal(columns: 23, rows: 5)
      whole.feed(ScreenDiff.bytes(from: nil, to: after))
      #expect(terminal.rows == whole.rows)
      #expect(terminal.looks == whole.looks)
      #expect((0..<5).map { after.text(row: $0) } == terminal.rows.map { $0.joined() })
      #expect(terminal.unknown == [])
      before = after
    }
  }

  @Test("Nothing is written if nothing changed, and little if little did")
  func little() {
    let before = Gallery.screen(Gallery.room(columns: 90, rows: 35), columns: 120, rows: 36, .exact)
    #expect(ScreenDiff.bytes(from: before, to: before).isEmpty)
    var after = before
    after[3, 4].glyph = Glyph("x")
    #expect(ScreenDiff.bytes(from: before, to: after).count < 70)
    let whole = ScreenDiff.bytes(from: nil, to: before).count
    #expect(whole < 32_000)
    #expect(ScreenDiff.bytes(from: Screen(columns: 119, rows: 36), to: before).count == whole)
  }

  @Test("A change is one synchronised update")
  func synchronised() {
    var after = Screen(columns: 3, rows: 1)
    after.write("ab", row: 0, column: 0, Screen.Look(.standard))
    let text = String(decoding: ScreenDiff.bytes(from: nil, to: after), as: UTF8.self)
    #expect(text.hasPrefix("\u{1B}[?2026h"))
    #expect(text.hasSuffix("\u{1B}[?2026l"))
  }

  @Test("Halves of wide characters are never left over")
  func halves() {
    var screen = Screen(columns: 6, rows: 1)
    screen.write("太陽x", row: 0, column: 0, Screen.Look(.standard))
    screen.write("a", row: 0, column: 1, Screen.Look(.standard))
    #expect(screen.text(row: 0) == " a陽x ")
    screen.write("月", row: 0, column: 5, Screen.Look(.standard))
    #expect(screen.text(row: 0) == " a陽x…")
    screen.write("月", row: 0, column: -1, Screen.Look(.standard))
    #expect(screen.text(row: 0) == " a陽x…")
  }
}
