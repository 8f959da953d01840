import CanvasCRDT
import Testing

/// The characters that are not allowed in a new name (S8).
@Suite struct HiddenCharacterTests {
  @Test(
    "Characters that can't be seen or that turn the text are found, wherever they stand",
    arguments: [
      "\u{202E}Ann", "An\u{200B}n", "Ann\u{2066}", "\u{FEFF}Ann", "A\u{AD}nn", "Ann\u{E0041}", "\u{3164}", "A\u{2028}B",
      "An\u{200D}n", "Ann\u{200D}", "\u{200C}Ann", "\u{646}\u{200C}", "\u{646}\u{200C}\u{200C}\u{645}", "А\u{200D}н",
      "ש\u{200D}ש",
      "A\u{FE0F}", "\u{FE0F}", "☀\u{FE0F}\u{FE0F}", "\u{1D173}",
    ]
  )
  func hidden(name: String) {
    #expect(HiddenCharacters.occur(in: Text(name)))
    #expect(!PropertyRules.takesName(Text(name)) && PropertyRules.allowsName(Text(name)))
    let set = Properties { $0.name = Text(name) }
    #expect(throws: PropertyProblem.self) { try set.checkNew() }
    #expect(throws: Never.self) { try set.check() }
  }

  @Test("S8: the characters of the list are those that Unicode lets programs ignore, and a few that turn or break text")
  func list() {
    let others: Set<UInt32> = [0x2028, 0x2029, 0xFFF9, 0xFFFA, 0xFFFB]
    for value in 0...0x10FFFF as ClosedRange<UInt32> {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let needsNeighbours = (0x200C...0x200D).contains(value) || (0xFE00...0xFE0F).contains(value)
      let expected = scalar.properties.isDefaultIgnorableCodePoint && !needsNeighbours || others.contains(value)
      if HiddenCharacters.isAlwaysHidden(value) != expected { Issue.record("U+\(String(value, radix: 16))") }
    }
  }

  @Test(
    "S8: a name keeps what is seen of it, and what has no effect once the rest is gone goes too",
    arguments: [
      ("A\u{200B}nn\u{202E}", "Ann"), ("می\u{200C}خواهم", "می\u{200C}خواهم"), ("\u{200B}\u{2066}", ""),
      ("\u{646}\u{200C}\u{200B}\u{645}", "\u{646}\u{200C}\u{645}"), ("\u{646}\u{200C}\u{200B}", "\u{646}"),
      ("☀\u{AD}\u{FE0F}", "☀\u{FE0F}"), ("A\u{FE0F}\u{200D}B", "AB"), ("", ""),
      ("1\u{FE0F}\u{200B}\u{20E3}", "1\u{FE0F}\u{20E3}"), ("\u{645}\u{200C}\u{AD}\u{645}", "\u{645}\u{200C}\u{645}"),
    ]
  )
  func removed(name: String, rest: String) {
    let removed = HiddenCharacters.removed(from: Text(name))
    #expect(removed == Text(rest) && !HiddenCharacters.occur(in: removed))
  }

  @Test(
    "Names of all scripts, with the joiners and selectors that they need, and emoji are taken",
    arguments: [
      "Ann", "Größe", "Ёлка", "שלום", "سلام", "می\u{200C}خواهم", "क्\u{200D}ष", "名前", "한국어", "👩\u{200D}👩\u{200D}👧",
      "❤\u{FE0F}", "©\u{FE0F}", "1\u{FE0F}\u{20E3}", "🏳\u{FE0F}\u{200D}🌈", "e\u{301}", "a b",
      "a\u{A0}b",
    ]
  )
  func plain(name: String) {
    #expect(!HiddenCharacters.occur(in: Text(name)))
    #expect(PropertyRules.takesName(Text(name)))
  }
}
