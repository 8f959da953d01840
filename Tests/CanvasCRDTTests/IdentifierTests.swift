import Testing

@testable import CanvasCRDT

@Suite("Identifiers")
struct IdentifierTests {
  @Test("text and integer name the same identifier, both ways")
  func roundTrip() throws {
    let identifier = try #require(Identifier("afy-kw5-t7o"))
    #expect(identifier.text == "afy-kw5-t7o")
    #expect(identifier.lastGroup == "t7o")
    #expect(Identifier(packed: identifier.packed) == identifier)
    #expect(Identifier("000-000-000")?.packed == 0)
    #expect(Identifier("zzz-zzz-zzz")?.packed == Identifier.packedLimit - 1)
    #expect(Identifier(packed: Identifier.packedLimit) == nil)
  }

  @Test(
    "anything but nine of 0-9a-z in three groups is refused",
    arguments: [
      "", "abc", "abc-abc-ab", "abc-abc-abcd", "ABC-abc-abc", "abc_abc_abc", "abcdabc-abc", "abc-abcdabc", "äb-abc-abc",
    ]
  )
  func refusesOtherText(text: String) {
    #expect(Identifier(text) == nil)
  }

  @Test("numeric order is text order")
  func orderedAsText() {
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<2_000 {
      let left = Identifier.random(using: &generator)
      let right = Identifier.random(using: &generator)
      #expect((left < right) == (left.text < right.text))
    }
  }
}
