extension Properties {
  /// The colour of a text's letters (S9):
  /// - In a shape of the kind `text`, the fill.
  /// - In any other shape with a fill, black or white, whichever contrasts more with the fill.
  /// - In a shape without a fill and in a line, the colour of the stroke.
  public var textColor: Color {
    if kind == .text { return fill }
    guard isFilled, !kind.isStroke else { return stroke }
    let brightness = 299 * Int(fill.red) + 587 * Int(fill.green) + 114 * Int(fill.blue)
    return brightness >= 128_000 ? Color(red: 0, green: 0, blue: 0) : Color(red: 0xFF, green: 0xFF, blue: 0xFF)
  }
}
