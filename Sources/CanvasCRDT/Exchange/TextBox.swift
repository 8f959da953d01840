/// Estimates the size of the box that a text needs, for programs that can't measure letters.
public enum TextBox {
  /// A factor for fonts with wide letters, because the estimate is based on the most common fonts.
  private static let room = 1.1

  /// The size for a text that is broken only at its own line breaks.
  public static func size(of text: Text, textSize: Double) -> Size {
    let lines = TextLines(text, width: .infinity)
    return Size(
      width: side(lines.widest * textSize * room + 2 * TextLines.padding),
      height: height(of: lines, textSize)
    )
  }

  /// The height that the text needs in a box of this width.
  public static func height(of text: Text, textSize: Double, width: Double) -> Double {
    let inside = max(0, width - 2 * TextLines.padding)
    return height(of: TextLines(text, width: inside / (textSize * room)), textSize)
  }

  private static func height(of lines: TextLines, _ textSize: Double) -> Double {
    side(Double(max(1, lines.lines.count)) * PropertyRules.textLineHeight * textSize + 2 * TextLines.padding)
  }

  private static func side(_ value: Double) -> Double {
    min(max(value.rounded(.up), PropertyRules.sides.lowerBound), PropertyRules.sides.upperBound)
  }
}
