import CanvasCRDT
import CommandWords

/// Kinds of shapes as users type them.
enum KindWords {
  static let all = ShapeKind.allCases.map { Text($0.wireName).string }

  /// Words that users may type in place of a kind. The error message then suggests the kind.
  static let otherNames = [
    "box": "rectangle", "oval": "ellipse", "triangle": "polygon", "hexagon": "polygon", "rounded": "roundedRectangle",
    "words": "text", "label": "text", "connector": "arrow", "pen": "ink", "stroke": "ink", "curve": "ink",
  ]

  static func kind(_ text: String) throws(ClientFailure) -> ShapeKind {
    if let kind = ShapeKind.allCases.first(where: { Text($0.wireName).string == text }) { return kind }
    throw .usage(complaint(text, among: all))
  }

  static func complaint(_ text: String, among words: [String]) -> String {
    let question = Suggestion.question(text, among: words, meaning: otherNames)
    return "\(text): there is no such kind of shape.\(question) Kinds are \(words.joined(separator: ", "))."
  }
}
