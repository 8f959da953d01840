import CanvasCRDT

/// Texts of this user that are not in the drawing any more, and that the user can put back, the newest first.
struct LostTexts {
  struct Lost {
    let text: Text
    /// The shape that the text belongs in.
    let shape: Identifier
    /// The properties of that shape, with the text over which this one may be written. Or those of a place for the text.
    let place: Properties
    /// What the user is told.
    let words: String
  }

  /// Older texts are forgotten.
  static let textsMax = 100

  private var texts: [Lost] = []
  private var isHidden = false

  /// A text that is lost again, such as one that was refused after somebody had written over it, is listed once.
  mutating func add(_ lost: Lost) {
    isHidden = false
    texts.removeAll { $0.shape == lost.shape && $0.text == lost.text }
    texts.append(lost)
    if texts.count > LostTexts.textsMax { texts.removeFirst() }
  }

  /// All texts as one types them, the oldest first.
  var typed: [String] { texts.map { TextWords.typed($0.text) } }

  /// The text to put back next.
  var next: Lost? { texts.last }

  /// What the user is told, until they put the texts back or hide it: of the next text, and how many there are.
  var words: String? {
    guard !isHidden, let next else { return nil }
    return texts.count == 1 ? next.words : "\(texts.count) texts can be put back. \(next.words)"
  }

  /// Tells the user no more of these texts. They can still be put back.
  mutating func hide() { isHidden = true }

  /// Forgets the texts that their shapes have again, for example because somebody has undone what replaced them.
  mutating func forget(in canvas: Canvas) {
    texts.removeAll { canvas.text(of: $0.shape) == $0.text }
  }

  /// Removes a text that the user puts back. If there are others, the message about them is shown again, even if the user
  /// had hidden it.
  mutating func removeNext() {
    isHidden = false
    texts.removeLast()
  }
}
