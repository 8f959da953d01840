import Testing

@testable import CanvasCRDT

@Suite("Text")
struct TextTests {
  @Test("texts that are equal only to Unicode are different")
  func comparedByBytes() {
    let composed: Text = "caf\u{E9}"
    let decomposed: Text = "cafe\u{301}"
    #expect(composed.string == decomposed.string)
    #expect(composed != decomposed)
    #expect(composed.hashValue != decomposed.hashValue)
    #expect(Set([composed, decomposed, "caf\u{E9}"]).count == 2)
  }

  @Test("order is the order of the bytes, and a prefix comes first")
  func ordered() {
    var generator = SeededGenerator(seed: 2)
    let scalars: [Unicode.Scalar] = ["a", "b", "z", "\u{E9}", "\u{FFFD}", "\u{1F600}", "\u{0}"]
    for _ in 0..<5_000 {
      let texts = (0..<2).map { _ in
        var string = ""
        for _ in 0..<Int.random(in: 0...20, using: &generator) {
          string.unicodeScalars.append(scalars.prefix(2 + Int(generator.next() % 6)).randomElement(using: &generator)!)
        }
        return Text(string)
      }
      let bytes = texts.map { Array($0.string.utf8) }
      #expect((texts[0] < texts[1]) == bytes[0].lexicographicallyPrecedes(bytes[1]))
      #expect((texts[0] == texts[1]) == (bytes[0] == bytes[1]))
      if texts[0] == texts[1] { #expect(texts[0].hashValue == texts[1].hashValue) }
    }
  }

  @Test("static, literal and dynamic texts are the same text")
  func made() {
    let fixed: StaticString = "Ellipse"
    #expect(Text(fixed) == "Ellipse")
    #expect(Text("Ell").appending("ipse") == Text(fixed))
    #expect(Text(fixed).utf8Count == 7)
    #expect(Text("").isEmpty)
    #expect(Text("a\u{E9}").withBytes { Array($0) } == [0x61, 0xC3, 0xA9])
    #expect(Text("name").description == "name")
  }

  @Test("well-formed UTF-8 becomes text, byte for byte")
  func wellFormed() {
    for string in [
      "", "a", "eight by", "\u{7F}\u{80}", "\u{7FF}\u{800}", "\u{D7FF}\u{E000}\u{FFFF}", "\u{10000}\u{10FFFF}",
    ] {
      let bytes = Array(string.utf8)
      #expect(bytes.withUnsafeBytes { Text(utf8: $0) }?.withBytes { Array($0) } == bytes)
    }
  }

  @Test(
    "malformed UTF-8 is refused",
    arguments: [
      [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x41], [0xE0, 0x9F, 0xBF], [0xE2, 0x82],
      [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80],
      [0xF5, 0x80, 0x80, 0x80],
      [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0xF0, 0x9F, 0x98], [0xE2, 0x28, 0xA1],
    ] as [[UInt8]]
  )
  func malformed(sequence: [UInt8]) {
    for padding in 0..<12 {
      let ascii = [UInt8](repeating: 0x61, count: padding)
      #expect((ascii + sequence).withUnsafeBytes { Text(utf8: $0) } == nil)
      #expect((ascii + sequence + ascii).withUnsafeBytes { UTF8Validation.firstMalformed(in: $0) } == padding)
    }
  }

  @Test("random bytes are refused or accepted, like the standard library does")
  func agreesWithStandardLibrary() {
    var generator = SeededGenerator(seed: 3)
    let interesting: [UInt8] = [
      0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC2, 0xE0, 0xE1, 0xED, 0xF0, 0xF1, 0xF4,
    ]
    var taken = 0
    for _ in 0..<50_000 {
      let bytes = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
        interesting.randomElement(using: &generator)!
      }
      let text = bytes.withUnsafeBytes { Text(utf8: $0) }
      #expect((text != nil) == (String(validating: bytes, as: UTF8.self) != nil), "\(bytes)")
      if text != nil { taken += 1 }
    }
    #expect(taken > 5_000)
  }
}
