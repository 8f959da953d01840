import CanvasCRDT
import Testing

@testable import sync_client

@Suite struct LostTextsTests {
  private func lost(_ text: String, isReplaced: Bool) -> LostTexts.Lost {
    LostTexts.Lost(
      text: Text(text),
      shape: Identifier(packed: 7)!,
      place: Properties(),
      words: "Somebody took \(text).",
      isReplaced: isReplaced
    )
  }

  @Test func `Each lost text can be put back, the newest first, and the user is told of all`() {
    var texts = LostTexts()
    for text in ["one", "two", "three"] { texts.add(lost(text, isReplaced: true), at: 1_000) }
    #expect(texts.words(at: 1_000) == "3 texts were lost. Somebody took three.")
    let last = 1_000 + LostTexts.replacedMilliseconds - 1
    #expect(texts.next(at: last)?.text == "three")
    texts.removeNext(at: last)
    #expect(texts.words(at: last) == "2 texts were lost. Somebody took two.")
    // The time of a text begins when the user is told of the text.
    #expect(texts.next(at: 2 * last - 1_000)?.text == "two")
    texts.removeNext(at: 2 * last - 1_000)
    #expect(texts.words(at: 2 * last) == "Somebody took one.")
    #expect(texts.next(at: 9 * last) == nil && texts.words(at: 9 * last) == nil)
  }

  @Test func `A text that is nowhere else stays until it is put back`() {
    var texts = LostTexts()
    texts.add(lost("refused", isReplaced: false), at: 0)
    texts.add(lost("replaced", isReplaced: true), at: 0)
    #expect(texts.next(at: 3_600_000)?.text == "refused")
    texts.removeNext(at: 3_600_000)
    #expect(texts.next(at: 3_600_000) == nil)
    for number in 1...(LostTexts.textsMax + 5) { texts.add(lost("\(number)", isReplaced: false), at: 0) }
    #expect(texts.words(at: 0)?.hasPrefix("\(LostTexts.textsMax) texts") == true)
  }
}
