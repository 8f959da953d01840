extension Shape: CustomStringConvertible {
  /// The shape on one line for logs: `(afy-kw5-t7o), X: 45.0, Y: 44.0, W: 89.0, H: 92.0, R: 235.0, G: 198.0, B: 65.0,
  /// Alpha: 0.7`.
  public var description: String {
    var text = "("
    text += id.text
    text += ")"
    Shape.append(", X: ", properties.position.x, to: &text)
    Shape.append(", Y: ", properties.position.y, to: &text)
    Shape.append(", W: ", properties.size.width, to: &text)
    Shape.append(", H: ", properties.size.height, to: &text)
    Shape.append(", R: ", Double(properties.fill.red), to: &text)
    Shape.append(", G: ", Double(properties.fill.green), to: &text)
    Shape.append(", B: ", Double(properties.fill.blue), to: &text)
    Shape.append(", Alpha: ", properties.opacity, to: &text)
    return text
  }

  private static func append(_ label: String, _ number: Double, to text: inout String) {
    text += label
    text += number.description
  }
}

extension Properties {
  /// The opacity from 0 (invisible) to 1 (opaque).
  public var opacity: Double { Double(alpha) / 10 }
}
