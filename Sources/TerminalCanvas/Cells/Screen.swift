import CanvasCRDT

/// The content of a terminal: rows of cells. Writing outside of the screen has no effect.
public struct Screen: Equatable, Sendable {
  public let columns: Int
  public let rows: Int
  public private(set) var cells: [Cell]

  /// The place of the terminal's own cursor, which shows where text is typed. `nil` hides the cursor.
  public var cursor: Place?

  public struct Place: Hashable, Sendable {
    public var row: Int
    public var column: Int

    public init(row: Int, column: Int) {
      self.row = row
      self.column = column
    }
  }

  public init(columns: Int, rows: Int, filledWith cell: Cell = Cell()) {
    self.columns = max(columns, 0)
    self.rows = max(rows, 0)
    cells = Array(repeating: cell, count: self.columns * self.rows)
  }

  public subscript(row: Int, column: Int) -> Cell {
    get { cells[row * columns + column] }
    set {
      guard row >= 0, row < rows, column >= 0, column < columns else { return }
      mend(row, column)
      cells[row * columns + column] = newValue
    }
  }

  /// Replaces the remaining half of a wide character by a space, because half a character can't be shown.
  private mutating func mend(_ row: Int, _ column: Int) {
    let index = row * columns + column
    if cells[index].glyph == .continuation, column > 0 { cells[index - 1].glyph = .space }
    if column + 1 < columns, cells[index + 1].glyph == .continuation { cells[index + 1].glyph = .space }
  }

  // MARK: - Text

  public struct Look: Sendable {
    public var foreground: Ink
    /// The background. If `nil`, the cells keep theirs.
    public var background: Ink?
    public var style: Cell.Style

    public init(_ foreground: Ink, on background: Ink? = nil, _ style: Cell.Style = []) {
      self.foreground = foreground
      self.background = background
      self.style = style
    }
  }

  /// Writes a line of text, truncated with `…` if it is wider than `columnsMax`. Returns the column after the text.
  @discardableResult
  public mutating func write(
    _ text: String,
    row: Int,
    column: Int,
    _ look: Look,
    columnsMax: Int = .max
  ) -> Int {
    let end = min(columns, columnsMax == .max ? .max : column + columnsMax)
    guard row >= 0, row < rows, column < end else { return column }
    var column = column
    var written = -1
    for scalar in text.fitting(end - column).unicodeScalars {
      switch CharacterWidth.columns(of: scalar) {
      case 0:
        if written >= 0, CharacterWidth.isAdded(scalar) { cells[row * columns + written].glyph.append(scalar) }
      case let width:
        // If the screen's left side cuts a wide character in two, the visible right half becomes a space.
        if column + width > 0 {
          written = column >= 0 ? column : -1
          put(column >= 0 ? Glyph(scalar) : .space, row, column, look)
          if width == 2 { put(column >= 0 ? .continuation : .space, row, column + 1, look) }
        }
        column += width
      }
    }
    return column
  }

  private mutating func put(_ glyph: Glyph, _ row: Int, _ column: Int, _ look: Look) {
    guard column >= 0, column < columns else { return }
    if glyph != .continuation { mend(row, column) }
    let index = row * columns + column
    if glyph == .continuation, column + 1 < columns, cells[index + 1].glyph == .continuation {
      cells[index + 1].glyph = .space
    }
    cells[index] = Cell(glyph, look.foreground, on: look.background ?? cells[index].background, look.style)
  }

  /// Fills a part of a row.
  public mutating func fill(row: Int, columns range: Range<Int>, with cell: Cell) {
    for column in range { self[row, column] = cell }
  }

  public func text(row: Int) -> String {
    (0..<columns).map { self[row, $0].glyph.text }.joined()
  }
}
