/// How large the box of a text is that breaks only where it says so, for those who can't measure letters.
public enum TextBox {
  public static func size(of text: Text, textSize: Double) -> Size {
    let lines = TextLines(text, width: .infinity)
    // Letters are as wide as in the most common faces. Some faces are wider.
    let width = lines.widest * textSize * 1.1 + 2 * TextLines.padding
    let height = Double(max(1, lines.lines.count)) * TextLines.lineHeight * textSize + 2 * TextLines.padding
    let sides = PropertyRules.sides
    func side(_ value: Double) -> Double { min(max(value.rounded(.up), sides.lowerBound), sides.upperBound) }
    return Size(width: side(width), height: side(height))
  }
}
