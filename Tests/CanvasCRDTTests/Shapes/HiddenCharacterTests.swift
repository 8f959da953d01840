import CanvasCRDT
import Testing

/// The characters that are not allowed in a new name (S8).
@Suite struct HiddenCharacterTests {
  @Test(
    "Characters that can't be seen or that turn the text are found, wherever they stand",
    arguments: [
      "\u{202E}Ann", "An\u{200B}n", "Ann\u{2066}", "\u{FEFF}Ann", "A\u{AD}nn", "Ann\u{E0041}", "\u{3164}", "A\u{2028}B",
      "An\u{200D}n", "Ann\u{200D}", "\u{200C}Ann", "\u{646}\u{200C}", "\u{646}\u{200C}\u{200C}\u{645}", "А\u{200D}н",
      "A\u{FE0F}", "\u{FE0F}", "☀\u{FE0F}\u{FE0F}", "\u{1D173}",
    ]
  )
  func hidden(name: String) {
    #expect(HiddenCharacters.occur(in: Text(name)))
    #expect(!PropertyRules.takesName(Text(name)) && PropertyRules.allowsName(Text(name)))
    var set = Properties()
    set.name = Text(name)
    #expect(throws: PropertyProblem.self) { try set.checkNew() }
    #expect(throws: Never.self) { try set.check() }
  }

  @Test(
    "Names of all scripts, with the joiners and selectors that they need, and emoji are taken",
    arguments: [
      "Ann", "Größe", "Ёлка", "שלום", "سلام", "می\u{200C}خواهم", "क्\u{200D}ष", "名前", "한국어", "👩\u{200D}👩\u{200D}👧",
      "❤\u{FE0F}", "©\u{FE0F}", "1\u{FE0F}\u{20E3}", "🏳\u{FE0F}\u{200D}🌈", "e\u{301}", "a b",
    ]
  )
  func plain(name: String) {
    #expect(!HiddenCharacters.occur(in: Text(name)))
    #expect(PropertyRules.takesName(Text(name)))
  }
}
