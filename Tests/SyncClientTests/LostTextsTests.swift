import CanvasCRDT
import Testing

@testable import sync_client

@Suite struct LostTextsTests {
  @Test func `Each lost text can be put back, the newest first, and the user is told of all`() {
    var texts = LostTexts()
    #expect(texts.next == nil && texts.words == nil)
    func add(_ text: String) {
      texts.add(
        LostTexts.Lost(
          text: Text(text),
          shape: Identifier(packed: 7)!,
          place: Properties(),
          words: "Somebody took \(text)."
        )
      )
    }
    for text in ["one", "two"] { add(text) }
    #expect(texts.words == "2 texts can be put back. Somebody took two.")
    #expect(texts.next?.text == "two")
    texts.hide()
    #expect(texts.words == nil)
    texts.removeNext()
    #expect(texts.words == "Somebody took one.")
    texts.hide()
    #expect(texts.words == nil && texts.next?.text == "one")
    for number in 1...(LostTexts.textsMax + 5) { add("\(number)") }
    #expect(texts.words?.hasPrefix("\(LostTexts.textsMax) texts") == true)
  }
}
