/// The bytes that turn one screen of a terminal into another. They rewrite only what has changed.
///
/// The whole change is one synchronised update. A terminal that supports such updates never shows half of the change.
/// Colours are sent only when they change. If unchanged cells form a short gap between changed ones, they are written
/// again, because that takes fewer bytes than moving the cursor.
public enum ScreenDiff {
  private static let begin = Array("\u{1B}[?2026h".utf8)
  private static let end = Array("\u{1B}[?2026l".utf8)

  /// The longest gap, in cells of one style, that is written again. Writing such a gap takes no more bytes than moving
  /// the cursor over it.
  private static let gapMax = 4

  /// The bytes that turn `before` into `after`. Empty if nothing has changed. If `before` is `nil` or has another size,
  /// everything is written.
  public static func bytes(from before: Screen?, to after: Screen) -> [UInt8] {
    var before = before
    if let known = before, known.columns != after.columns || known.rows != after.rows { before = nil }
    if before == after { return [] }
    var writer = Writer(columns: after.columns)
    writer.output += begin
    if before == nil { writer.output += Array("\u{1B}[0m\u{1B}[2J".utf8) }
    if before?.cursor != nil || before == nil { writer.output += Array("\u{1B}[?25l".utf8) }
    for row in 0..<after.rows { write(row, from: before, to: after, &writer) }
    if let cursor = after.cursor {
      writer.move(to: cursor.row, cursor.column)
      writer.output += Array("\u{1B}[?25h".utf8)
    }
    writer.output += end
    return writer.output
  }

  private static func write(_ row: Int, from before: Screen?, to after: Screen, _ writer: inout Writer) {
    let start = row * after.columns
    var column = 0
    while column < after.columns {
      let cell = after.cells[start + column]
      if let before, !differs(column, in: start, before, after) {
        column += 1
        continue
      }
      // The second half of a wide character was written together with the first half.
      if cell.glyph == .continuation {
        column += 1
        continue
      }
      writer.bridge(to: row, column, gapMax: gapMax) { after.cells[start + $0] }
      writer.write(cell, row, column)
      column += 1
    }
  }

  /// Whether a cell has to be written. If either half of a wide character has changed, the whole character is written.
  private static func differs(_ column: Int, in start: Int, _ before: Screen, _ after: Screen) -> Bool {
    if before.cells[start + column] != after.cells[start + column] { return true }
    guard column + 1 < after.columns, after.cells[start + column + 1].glyph == .continuation else { return false }
    return before.cells[start + column + 1] != after.cells[start + column + 1]
  }
}

/// Writes cells, and keeps track of the cursor and the current colours.
private struct Writer {
  let columns: Int
  var output: [UInt8] = []
  private var row = -1
  private var column = 0
  /// The current colours and style. `nil` until the first cell is written.
  private var pen: Cell?

  init(columns: Int) {
    self.columns = columns
    output.reserveCapacity(4096)
  }

  mutating func move(to row: Int, _ column: Int) {
    guard row != self.row || column != self.column else { return }
    output += [0x1B, UInt8(ascii: "[")]
    if row == self.row, column > self.column {
      let distance = column - self.column
      if distance > 1 { append(distance) }
      output.append(UInt8(ascii: "C"))
    } else {
      append(row + 1)
      if column > 0 {
        output.append(UInt8(ascii: ";"))
        append(column + 1)
      }
      output.append(UInt8(ascii: "H"))
    }
    self.row = row
    self.column = column
  }

  /// Moves the cursor to the right over a short gap, by writing the gap's cells again. Does nothing if that would need
  /// a change of colours.
  mutating func bridge(to row: Int, _ column: Int, gapMax: Int, _ cell: (Int) -> Cell) {
    guard row == self.row, column > self.column, column - self.column <= gapMax else { return }
    for gap in self.column..<column {
      guard isOn(cell(gap)), cell(gap).glyph.isASCII else { return }
    }
    for gap in self.column..<column { write(cell(gap), row, gap) }
  }

  mutating func write(_ cell: Cell, _ row: Int, _ column: Int) {
    move(to: row, column)
    if !isOn(cell) { change(to: cell) }
    cell.glyph.write(to: &output)
    self.column = column + (CharacterWidth.isWide(cell.glyph) ? 2 : 1)
    // After a cell in the last column was written, terminals differ in where the cursor is. So the cursor's position
    // counts as unknown.
    if self.column >= columns { self.row = -1 }
  }

  private func isOn(_ cell: Cell) -> Bool {
    guard let pen else { return false }
    return pen.background == cell.background && pen.style == cell.style
      && (pen.foreground == cell.foreground || !showsForeground(cell))
  }

  private func showsForeground(_ cell: Cell) -> Bool {
    cell.glyph != .space || !cell.style.isDisjoint(with: [.reversed, .underlined])
  }

  private mutating func change(to cell: Cell) {
    var codes: [UInt8] = []
    func separate() { if !codes.isEmpty { codes.append(UInt8(ascii: ";")) } }
    let on = pen ?? Cell()
    var from = on
    if pen == nil || !on.style.isSubset(of: cell.style) {
      codes.append(UInt8(ascii: "0"))
      from = Cell()
    }
    for (style, code) in Writer.styles where cell.style.contains(style) && !from.style.contains(style) {
      separate()
      codes.append(code)
    }
    if cell.foreground != from.foreground, showsForeground(cell) {
      separate()
      codes += Array(cell.foreground.foregroundCode.utf8)
      from.foreground = cell.foreground
    }
    if cell.background != from.background {
      separate()
      codes += Array(cell.background.backgroundCode.utf8)
    }
    output += [0x1B, UInt8(ascii: "[")]
    if codes != [UInt8(ascii: "0")] { output += codes }
    output.append(UInt8(ascii: "m"))
    from.background = cell.background
    from.style = cell.style
    pen = from
  }

  private static let styles: [(Cell.Style, UInt8)] = [
    (.bold, UInt8(ascii: "1")), (.dim, UInt8(ascii: "2")), (.underlined, UInt8(ascii: "4")),
    (.reversed, UInt8(ascii: "7")),
  ]

  private mutating func append(_ number: Int) {
    output += Array(String(number).utf8)
  }
}
