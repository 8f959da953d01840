import CanvasCRDT
import CommandWords

/// Colours as users type them. The protocol has only `#RRGGBB`.
enum ColorWords {
  /// Reads CSS names such as `red`, and `#F00` or `#FF0000`. The `#` may be left out, because a shell may take it for
  /// the start of a comment.
  static func color(_ text: String) throws(ClientFailure) -> Color {
    let small = text.lowercased()
    if let packed = ColorNames.all[small] { return Color(packed: packed) }
    var digits = small.hasPrefix("#") ? String(small.dropFirst()) : small
    if digits.utf8.count == 3 { digits = String(digits.flatMap { [$0, $0] }) }
    if let color = Color("#" + digits) { return color }
    let question = Suggestion.question(small, among: ColorNames.all.keys.sorted())
    throw .usage("\(text): must be a colour such as red, F00 or '#FF0000'.\(question)")
  }
}
