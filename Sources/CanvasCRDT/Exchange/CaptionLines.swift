/// The lines of a line's caption, and the box around them.
struct CaptionLines {
  let lines: [TextLines.Line]
  let box: Rect

  init?(_ shape: Shape) {
    guard shape.hasCaption else { return nil }
    let size = shape.properties.textSize
    let text = TextLines(shape.properties.text, width: Caption.widthMax)
    let (width, height) = (text.widest * size, Double(text.lines.count) * PropertyRules.textLineHeight * size)
    let middle = shape.halfway
    lines = text.lines
    box = Rect(
      origin: Point(x: middle.x - width / 2, y: middle.y - height / 2),
      size: Size(width: width, height: height)
    )
  }

  /// The box in which the line isn't drawn.
  var gap: Rect {
    Rect(
      origin: Point(x: box.minX - Caption.margin, y: box.minY - Caption.margin),
      size: Size(width: box.size.width + 2 * Caption.margin, height: box.size.height + 2 * Caption.margin)
    )
  }
}
