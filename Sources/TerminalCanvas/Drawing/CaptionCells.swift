import CanvasCRDT

/// The caption of a line (S16) in the cells of a view.
public struct CaptionCells {
  /// The lines, separated by line breaks.
  public let text: String
  /// The cells that the lines take, as a box on the canvas.
  public let box: Rect
  private let middle: Point
  private let column: Double

  /// At most this many cells are taken, because a caption has cells of one size at every scale.
  private static let columnsMax = 24
  private static let rowsMax = 4

  /// `nil` if the shape has no caption, or if the line is shorter in this view than its caption.
  ///
  /// - Parameter bytesWrapped: is increased by the length of the text that is wrapped, because that takes long.
  public init?(_ item: CanvasScene.Item, in view: CanvasView, bytesWrapped: inout Int) {
    guard let middle = item.captionMiddle else { return nil }
    let line = item.outline.bounds.size
    let columnsMin = CaptionCells.columnsMin(of: item.text)
    guard line.width * view.scale >= Double(columnsMin + 2) || line.height * view.rowScale >= 3 else { return nil }
    // Of a longer text, only the beginning is wrapped: more isn't shown.
    let beginning = String(item.text.prefix(4 * CaptionCells.columnsMax * CaptionCells.rowsMax))
    bytesWrapped += beginning.utf8.count
    let lines = beginning.wrapped(columns: CaptionCells.columnsMax, rows: CaptionCells.rowsMax)
    let (columns, rows) = (Double(lines.map(\.columns).max() ?? 0), Double(lines.count))
    guard columns > 0, line.width * view.scale >= columns + 2 || line.height * view.rowScale >= rows + 2 else {
      return nil
    }
    let cell = view.cell(of: middle)
    text = lines.joined(separator: "\n")
    box = Rect(
      origin: view.point(atColumn: (cell.x - columns / 2).rounded(), row: (cell.y - rows / 2).rounded()),
      size: Size(width: columns / view.scale, height: rows / view.rowScale)
    )
    column = 1 / view.scale
    self.middle = middle
  }

  /// A lower bound on the columns of a caption. The letters that would fit in one line stand in two lines at most, because
  /// only the last word of them can be wrapped. So one of the lines has half of them.
  private static func columnsMin(of text: String) -> Int {
    let line = text.utf8.prefix(columnsMax).prefix { $0 != UInt8(ascii: "\n") }
    return max(1, (line.count { UInt8(ascii: "!")...UInt8(ascii: "~") ~= $0 } + 1) / 2)
  }

  /// The box in which the line isn't drawn: also a column before the text and one behind it.
  ///
  /// - Parameter place: where the caption's middle is while the line is on its way.
  func gap(around place: Point) -> Rect {
    Rect(
      origin: Point(x: box.minX - column + place.x - middle.x, y: box.minY + place.y - middle.y),
      size: Size(width: box.size.width + 2 * column, height: box.size.height)
    )
  }
}
