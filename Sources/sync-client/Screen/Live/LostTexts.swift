import CanvasCRDT

/// Texts of this user that are not in the drawing any more, and that the user can put back, the newest first.
struct LostTexts {
  struct Lost {
    let text: Text
    /// The shape that the text belongs in. If it is gone, the text gets a shape of its own.
    let shape: Identifier
    /// The properties of that shape, or those of a place for the text.
    let place: Properties
    /// What the user is told.
    let words: String
    /// Whether somebody has written over the text. Then it is kept only for a while, because putting it back later would
    /// undo what others have written since.
    var isReplaced = false
  }

  static let replacedMilliseconds: UInt64 = 30_000
  /// Older texts are forgotten.
  static let textsMax = 100

  private var texts: [(lost: Lost, until: UInt64)] = []

  mutating func add(_ lost: Lost, at now: UInt64) {
    texts.append((lost, now + LostTexts.replacedMilliseconds))
    if texts.count > LostTexts.textsMax { texts.removeFirst() }
  }

  /// The text to put back next.
  func next(at now: UInt64) -> Lost? { kept(at: now).last?.lost }

  /// What the user is told: of the next text, and how many there are.
  func words(at now: UInt64) -> String? {
    let kept = kept(at: now)
    return kept.last.map { kept.count == 1 ? $0.lost.words : "\(kept.count) texts were lost. \($0.lost.words)" }
  }

  /// Removes the next text. The user is told of the text after it only now, so the time of that text begins anew.
  mutating func removeNext(at now: UInt64) {
    texts = kept(at: now).dropLast()
    for index in texts.indices { texts[index].until = now + LostTexts.replacedMilliseconds }
  }

  private func kept(at now: UInt64) -> [(lost: Lost, until: UInt64)] {
    texts.filter { !$0.lost.isReplaced || now < $0.until }
  }
}
