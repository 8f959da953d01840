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
}
