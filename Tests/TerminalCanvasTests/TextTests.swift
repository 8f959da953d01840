import CanvasCRDT
import TerminalCanvas
import Testing

@Suite("Text on a terminal")
struct TerminalTextTests {
  @Test(
    "Columns",
    arguments: [
      ("", 0), ("abc", 3), ("太陽", 4), ("é", 1), ("e\u{301}", 1), ("👍", 2), ("☀", 1), ("ｱ", 1), ("Ａ", 2), ("한", 2),
      ("a\u{200D}b", 2), ("⚠", 1), ("▀↖■", 3), ("\u{1F1E9}\u{1F1EA}", 2), ("\u{AD}", 0),
    ]
  )
  func columns(_ text: String, _ columns: Int) { #expect(text.columns == columns) }

  @Test("Text that does not fit ends with an ellipsis, and never with half a character")
  func fitting() {
    #expect("Sonne".fitting(5) == "Sonne")
    #expect("Sonne".fitting(4) == "Son…")
    #expect("太陽系".fitting(4) == "太…")
    #expect("太陽系".padded(to: 8) == "太陽系  ")
    #expect("x".fitting(0) == "")
  }

  @Test("A name that does not fit keeps its end, which tells it from others, and whole characters")
  func fittingWithEnd() {
    #expect("Rounded rectangle 7".fittingWithEnd(19) == "Rounded rectangle 7")
    #expect("Rounded rectangle 7".fittingWithEnd(10) == "Round…le 7")
    #expect("Rounded rectangle 8".fittingWithEnd(5) == "Ro… 8")
    #expect("太陽系 太陽系".fittingWithEnd(8) == "太陽…系")
    #expect("abcdefge\u{301}".fittingWithEnd(5) == "ab…ge\u{301}")
    for columns in 0..<12 { #expect("Rounded 太陽 rectangle".fittingWithEnd(columns).columns <= columns) }
  }

  @Test("A text breaks between words, and one that has more lines than rows ends with an ellipsis")
  func wrapping() {
    let text = "The sun  and\nthe wholemoon"
    #expect(text.wrapped(columns: 8, rows: 9) == ["The sun ", "and", "the", "wholemoo", "n"])
    #expect(text.wrapped(columns: 8, rows: 4) == ["The sun ", "and", "the", "wholemo…"])
    #expect(text.wrapped(columns: 8, rows: 2) == ["The sun ", "and…"])
    #expect(text.wrapped(columns: 1, rows: 2) == ["T", "…"])
  }

  @Test("Wrapping a long text ends soon", arguments: ["a ", "a", "太 ", "e\u{301}", "\n"])
  func longText(part: String) {
    let text = String(repeating: part, count: 100_000)
    for (columns, rows) in [(3, 1), (200_000, 1)] {
      let lines = text.wrapped(columns: columns, rows: rows)
      #expect(lines.count <= rows && lines.allSatisfy { $0.columns <= columns })
    }
  }

  @Test(
    "Colour depth follows NO_COLOR, COLORTERM and TERM",
    arguments: [
      (["TERM": "xterm-256color", "COLORTERM": "truecolor"], ColorDepth.exact),
      (["TERM": "xterm-256color", "COLORTERM": "24bit"], .exact), (["TERM": "tmux-256color"], .indexed),
      (["TERM": "xterm-direct"], .exact), (["TERM": "xterm"], .sixteen), (["TERM": "linux"], .sixteen),
      (["TERM": "vt100"], .none), (["TERM": "dumb", "COLORTERM": "truecolor"], .none), ([:], .none),
      (["TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": "1"], .none),
      (["TERM": "xterm-256color", "NO_COLOR": ""], .indexed),
    ]
  )
  func depth(_ environment: [String: String], _ depth: ColorDepth) {
    #expect(ColorDepth(environment: environment) == depth)
  }

  @Test("S18: bold words, addresses and lists are drawn in cells; an item breaks below its words")
  func marks() {
    var properties = Properties()
    properties.kind = .text
    properties.position = Point(x: 8, y: 16)
    properties.size = Size(width: 64, height: 80)
    properties.text = "- a **bb cc**\n- http://[::1]\n**ä**"
    var canvas = Canvas()
    let id = Identifier("abc-abc-abc")!
    canvas.apply(Operation(shape: id, at: Stamp(time: 1, actor: id), set: properties))
    let item = CanvasScene.Item(canvas[id]!)
    var scene = CanvasScene()
    scene.labels = [CanvasScene.Label(item)]
    let view = CanvasView(columns: 10, rows: 7)
    var screen = Screen(columns: 10, rows: 7)
    let paper = Pixels(width: 20, height: 14, filledWith: Theme.dark.paper)
    SceneCells(view: view, theme: .dark, depth: .exact).write(paper, scene, to: &screen)
    let rows = (1..<6).map { screen.text(row: $0) }
    #expect(rows == [" • a bb   ", "   cc     ", " • http:/ ", "   /[::1] ", "    ä     "])
    func styled(_ style: Cell.Style) -> [String] {
      (1..<6).map { row in
        (0..<10).filter { screen[row, $0].style == style }.map { screen[row, $0].glyph.text }.joined()
      }
    }
    #expect(styled(.bold) == ["bb", "cc", "", "", "ä"] && styled(.underlined) == ["", "", "http:/", "/[::1", ""])
  }

  @Test(
    "What is added to a letter is drawn in its cell: vowels, tones, two accents, the letters of a Korean syllable",
    arguments: [
      ("ที่ใช้", 3), ("कुछ", 2), ("e\u{302}\u{301}x", 2), ("\u{5E9}\u{5BC}\u{5C1}\u{5B8}x", 2),
      ("\u{1112}\u{1161}\u{11AB}x", 3), ("a\u{FE0F}x", 2),
    ]
  )
  func added(text: String, columns: Int) {
    var screen = Screen(columns: 6, rows: 1)
    #expect(screen.write(text, row: 0, column: 0, .init(.standard)) == columns && text.columns == columns)
    let shown = String(text.unicodeScalars.filter { $0 != "\u{FE0F}" })
    #expect(screen.text(row: 0) == shown + String(repeating: " ", count: 6 - columns))
  }

  @Test("A text in a box of one row is seen wherever the box lies", arguments: [16, 20, 24, 28] as [Double])
  func lowBox(y: Double) {
    var properties = Properties()
    properties.kind = .text
    properties.position = Point(x: 0, y: y)
    properties.size = Size(width: 64, height: 12)
    properties.text = "seen"
    var canvas = Canvas()
    let id = Identifier("abc-abc-abc")!
    canvas.apply(Operation(shape: id, at: Stamp(time: 1, actor: id), set: properties))
    var scene = CanvasScene()
    scene.labels = [CanvasScene.Label(CanvasScene.Item(canvas[id]!))]
    var screen = Screen(columns: 10, rows: 7)
    let paper = Pixels(width: 20, height: 14, filledWith: Theme.dark.paper)
    SceneCells(view: CanvasView(columns: 10, rows: 7), theme: .dark, depth: .exact).write(paper, scene, to: &screen)
    #expect((0..<7).contains { screen.text(row: $0).contains("seen") })
  }

  @Test("A line is edited by character, whatever it is made of")
  func editing() {
    func typed(_ events: [TerminalEvent], from text: String = "") -> LineEditor.Outcome {
      var editor = LineEditor(text)
      for event in events {
        let outcome = editor.take(event)
        if outcome != .editing { return outcome }
      }
      return editor.take(.key(.enter, []))
    }
    #expect(typed([.key(.character("H"), []), .paste("i 太\nrest")]) == .accepted("Hi 太 rest"))
    #expect(typed([.paste("one\r\ntwo\tthree\u{7}")]) == .accepted("one two three"))
    #expect(typed([.key(.backspace, []), .key(.backspace, [])], from: "xe\u{301}") == .accepted(""))
    #expect(typed([.key(.left, []), .key(.left, []), .key(.delete, [])], from: "abc") == .accepted("ac"))
    #expect(typed([.key(.character("w"), .control)], from: "one two") == .accepted("one "))
    #expect(typed([.key(.character("u"), .control), .paste("x")], from: "one") == .accepted("x"))
    #expect(typed([.key(.home, []), .key(.character(">"), [])], from: "one") == .accepted(">one"))
    #expect(typed([.key(.escape, [])], from: "one") == .cancelled)
    #expect(typed([.key(.character("c"), .control)], from: "one") == .cancelled)
    #expect(typed([.key(.character("w"), .control)], from: "one two  ") == .accepted("one "))
    #expect(typed([.key(.character("a"), .control), .paste("x")], from: "one") == .accepted("xone"))
    #expect(typed([.key(.home, []), .key(.character("e"), .control), .paste("x")], from: "one") == .accepted("onex"))
    #expect(typed([.key(.home, []), .key(.end, []), .paste("x")], from: "one") == .accepted("onex"))
    // What is behind the cursor stays when all before it goes, and the other way round.
    #expect(typed([.key(.left, []), .key(.character("u"), .control)], from: "one") == .accepted("e"))
    #expect(typed([.key(.left, []), .key(.character("k"), .control)], from: "one") == .accepted("on"))
    #expect(typed([.key(.home, []), .key(.right, []), .paste("x")], from: "e\u{301}a") == .accepted("e\u{301}xa"))
    #expect(typed([.key(.left, []), .key(.left, []), .paste("x")], from: "ae\u{301}") == .accepted("xae\u{301}"))
    #expect(typed([.key(.home, []), .key(.delete, [])], from: "e\u{301}a") == .accepted("a"))
    #expect(typed([.key(.home, []), .key(.left, []), .key(.backspace, [])], from: "a") == .accepted("a"))
    #expect(typed([.key(.right, []), .key(.delete, []), .focus(false)], from: "a") == .accepted("a"))
    #expect(typed([.key(.character("x"), .alt), .key(.character("X"), .shift)], from: "a") == .accepted("aX"))
    var editor = LineEditor()
    #expect(editor.take(.paste(String(repeating: "太", count: 200))) == .full)
    #expect(editor.take(.key(.character("太"), [])) == .full)
    #expect(editor.take(.key(.enter, [])) == .accepted(String(repeating: "太", count: 42)))
  }

  @Test(
    "Parts of the screen are where the mouse finds them",
    arguments: [(80, 24), (120, 36), (200, 60), (10, 3), (97, 13)]
  )
  func layout(_ size: (columns: Int, rows: Int)) {
    for (people, overlaps) in [(1, 0), (3, 2), (50, 900)] {
      let layout = RoomLayout(columns: size.columns, rows: size.rows, peopleCount: people, overlapCount: overlaps)
      #expect(layout.hasPanel == (size.columns >= 96))
      #expect(layout.part(row: size.rows - 1, column: 3) == .status)
      #expect(layout.part(row: 0, column: 0) == .canvas)
      guard layout.hasPanel else { continue }
      #expect(layout.overlaps.upperBound <= layout.canvasRows)
      #expect(!layout.layers.isEmpty)
      #expect(layout.part(row: layout.layers.lowerBound, column: size.columns - 10) == .layer(0))
      #expect(layout.part(row: layout.layers.lowerBound, column: size.columns - 2) == .layerEye(0))
    }
  }
}
