extension Properties {
  /// The colour of the letters (S9). For a shape of the kind `text` it is the fill. In any other shape it is black or
  /// white, whichever contrasts more with the fill; without a fill, it is the stroke's.
  public var textColor: Color {
    if kind == .text { return fill }
    guard isFilled else { return stroke }
    let brightness = 299 * Int(fill.red) + 587 * Int(fill.green) + 114 * Int(fill.blue)
    return brightness >= 128_000 ? Color(red: 0, green: 0, blue: 0) : Color(red: 0xFF, green: 0xFF, blue: 0xFF)
  }
}
