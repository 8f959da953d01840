import TestSupport
import Testing

@testable import CanvasCRDT

@Suite("Marks in texts")
struct DrawnTextTests {
  /// A drawn text, taken apart.
  private struct Parts: Equatable {
    var words = ""
    var heads: [String] = []
    var bold: [String] = []
    var addresses: [String] = []
  }

  private func parts(of text: String) -> Parts {
    var parts = Parts()
    var look = DrawnText.plain
    var line = ""
    var runs: [(look: UInt8, words: String)] = []
    for scalar in Text(text).drawn.string.unicodeScalars {
      switch scalar.value {
      case UInt32(DrawnText.item): parts.heads.append(String(line.dropLast()))
      case 0x0A:
        look = DrawnText.plain
        line = ""
        parts.words.unicodeScalars.append(scalar)
      case ..<0x20:
        look = UInt8(scalar.value)
        runs.append((look, ""))
      default:
        line.unicodeScalars.append(scalar)
        parts.words.unicodeScalars.append(scalar)
        if !runs.isEmpty { runs[runs.count - 1].words.unicodeScalars.append(scalar) }
      }
    }
    parts.bold = runs.filter { ($0.look - DrawnText.plain) & DrawnText.bold != 0 && !$0.words.isEmpty }.map(\.words)
    parts.addresses = runs.filter { ($0.look - DrawnText.plain) & DrawnText.link != 0 }.map(\.words)
    return parts
  }

  @Test("S18: marks are read as the table in the contract says")
  func table() throws {
    let lines = try GoldenFiles.project("docs/PROTOCOL.md").split(separator: "\n")
    let start = try #require(lines.firstIndex { $0.hasPrefix("  | written | drawn |") })
    let rows = lines[(start + 2)...].prefix { $0.hasPrefix("  | ") }
    #expect(rows.count > 20)
    for row in rows {
      let columns = row.split(separator: "|", omittingEmptySubsequences: false).dropFirst().map { column in
        column.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }.map {
          String($0.element)
        }
      }
      #expect(
        parts(of: columns[0][0])
          == Parts(words: columns[1][0], heads: columns[2], bold: columns[3], addresses: columns[4]),
        "\(row)"
      )
    }
  }

  @Test("S18: each line is read by itself, and a text without marks has no signs")
  func lines() {
    #expect(parts(of: "**a\nb**\n- **c**\nd") == Parts(words: "**a\nb**\n• c\nd", heads: ["•"], bold: ["c"]))
    // Behind an address, bold words go on.
    #expect(parts(of: "**a http://b.example c** d").bold == ["a ", "http://b.example", " c"])
    for text in ["", "\n", "a * b\n-\n 1.5\n--\nhttp:/x", "ä **\n** ö"] as [Text] { #expect(text.drawn == text) }
  }

  @Test("S18: signs that a text has in presence are left out, so that nobody is shown another look")
  func controls() {
    #expect(Text("a\u{2}b\u{5}").drawn == "ab")
  }

  @Test(
    "S18: reading a long text ends soon",
    arguments: ["**a ", "**", "*", "- ", "http://a.example(", "**a**", "**a b c d", "a"]
  )
  func long(part: String) {
    let text = Text(String(repeating: part, count: 100_000))
    #expect(text.drawn.utf8Count >= text.utf8Count / 2 - 1)
  }

  @Test("S18: the words of an item break below its first ones, and a list is as wide as its widest line")
  func lists() {
    let lines = TextLines("- nnnn **nnnn nnnn**\n12. W\nn", width: 4).lines
    #expect(lines.map { $0.text } == ["• \u{5}nnnn", "\u{2}nnnn", "\u{2}nnnn\u{1}", "12. \u{5}W", "n"])
    #expect(lines.map { $0.indent.map { ($0 * 100).rounded() } } == [0, 84, 84, 0, nil])
    #expect(Set(lines.prefix(4).map { $0.width }).count == 1 && lines[0].width > lines[4].width)
    // Bold letters are wider.
    #expect((["nnn", "**nnn**"] as [Text]).map { TextLines($0, width: 1.7).lines.count } == [1, 2])
    // The head stays with the first letter, however narrow the box is.
    #expect(TextLines("- W", width: 0.1).lines.map { $0.text } == ["• \u{5}W"])
  }

  @Test("S18: SVG has bold words, underlined addresses, and the lines of a list flush with each other")
  func picture() {
    var canvas = Canvas()
    let set = Properties { set in
      set.kind = .rectangle
      set.size = Size(width: 216, height: 200)
      set.textPlace = .top
      set.text = "a **b & c**\n- **d**\n- dd\nhttp://[::1]/?a&b!"
    }
    canvas.apply(CanvasCRDT.Operation(shape: WireSamples.shape, at: WireSamples.stamp(5), set: set))
    let picture = String(decoding: SVGExport(Drawing(canvas)).document(), as: UTF8.self)
    #expect(picture.contains(#"<tspan x="108" y="26.5">a <tspan font-weight="bold">b &amp; c</tspan></tspan>"#))
    #expect(
      picture.contains(#"<tspan x="88.6" y="51.5" text-anchor="start">• <tspan font-weight="bold">d</tspan></tspan>"#)
    )
    #expect(picture.contains(#"<tspan x="88.6" y="76.5" text-anchor="start">• dd</tspan>"#))
    #expect(picture.contains(#"><tspan text-decoration="underline">http://[::1]/?a&amp;b</tspan>!</tspan></text>"#))
  }

  @Test("S18: a picture of many short bold words stays bounded: further ones are drawn plain")
  func bounded() {
    var canvas = Canvas()
    let set = Properties { set in
      set.kind = .rectangle
      set.text = "**a** **b** **c**"
    }
    canvas.apply(CanvasCRDT.Operation(shape: WireSamples.shape, at: WireSamples.stamp(5), set: set))
    var export = SVGExport(Drawing(canvas))
    export.textLinesMax = 2
    let picture = String(decoding: export.document(), as: UTF8.self)
    #expect(picture.contains(#"><tspan font-weight="bold">a</tspan> b c</tspan></text>"#))
  }
}
