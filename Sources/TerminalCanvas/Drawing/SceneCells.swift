import CanvasCRDT

/// Turns a scene's pixels into cells, and writes text and signs over them: the grid, names, flags and handles.
public struct SceneCells {
  private let view: CanvasView
  private let theme: Theme
  private let depth: ColorDepth
  private let top: Int
  private let left: Int

  public init(view: CanvasView, theme: Theme, depth: ColorDepth, top: Int = 0, left: Int = 0) {
    self.view = view
    self.theme = theme
    self.depth = depth
    self.top = top
    self.left = left
  }

  /// Writes the cells, and everything that lies over them, to the screen.
  public func write(_ pixels: Pixels, _ scene: CanvasScene, to screen: inout Screen) {
    writeBlocks(pixels, to: &screen)
    writeGrid(pixels, to: &screen)
    for label in scene.labels { write(label, pixels, to: &screen) }
    for mark in scene.marks { write(mark, pixels, to: &screen) }
    for pointer in scene.pointers { write(pointer, to: &screen) }
    write(invitation: scene.invitation, to: &screen)
  }

  private func quarters(_ pixels: Pixels, _ row: Int, _ column: Int) -> [4 of SIMD4<Float>] {
    [
      pixels.value(2 * row, 2 * column), pixels.value(2 * row, 2 * column + 1),
      pixels.value(2 * row + 1, 2 * column), pixels.value(2 * row + 1, 2 * column + 1),
    ]
  }

  private func writeBlocks(_ pixels: Pixels, to screen: inout Screen) {
    let paper = SIMD4<Float>(theme.paper)
    let empty = depth == .none ? Cell() : Cell(.space, .standard, on: depth.ink(theme.paper))
    for row in 0..<min(view.rows, screen.rows - top) {
      for column in 0..<min(view.columns, screen.columns - left) {
        let quarters = quarters(pixels, row, column)
        let cell: Cell
        if quarters[0] == paper, quarters[1] == paper, quarters[2] == paper, quarters[3] == paper {
          cell = empty
        } else {
          cell =
            depth == .none
            ? Shades.cell(quarters, paper: theme.paper) : Blocks.cell(quarters, depth, paper: theme.paper)
        }
        screen[top + row, left + column] = cell
      }
    }
  }

  // MARK: - The grid

  /// Draws the dots of the grid. The distance between dots is the smallest of 1, 2, 5, 10, 20 … units that takes at
  /// least eight columns.
  private func writeGrid(_ pixels: Pixels, to screen: inout Screen) {
    let wanted = 8 / view.scale
    var step = 1.0
    var factors = [2.0, 2.5, 2.0]
    while step < wanted {
      step *= factors[0]
      factors = [factors[1], factors[2], factors[0]]
    }
    let box = view.visibleBox
    let paper = SIMD4<Float>(theme.paper)
    let dot = Glyph("·")
    var y = (box.minY / step).rounded(.up) * step
    while y < box.maxY {
      let row = Int(view.cell(of: Point(x: 0, y: y)).y)
      var x = (box.minX / step).rounded(.up) * step
      while x < box.maxX {
        let column = Int(view.cell(of: Point(x: x, y: y)).x)
        if row >= 0, row < view.rows, column >= 0, column < view.columns {
          let quarters = quarters(pixels, row, column)
          if quarters[0] == paper, quarters[1] == paper, quarters[2] == paper, quarters[3] == paper {
            screen[top + row, left + column] = Cell(
              dot,
              depth.ink(theme.grid),
              on: depth.ink(theme.paper),
              depth == .none ? .dim : []
            )
          }
        }
        x += step
      }
      y += step
    }
  }

  // MARK: - Names

  /// Writes a text into the cells of its box. The letters are upright even if the box is rotated.
  private func write(
    _ text: String,
    _ writing: CanvasScene.Writing,
    under covers: [Outline],
    _ pixels: Pixels,
    to screen: inout Screen
  ) {
    let from = view.cell(of: writing.box.origin)
    let to = view.cell(of: Point(x: writing.box.maxX, y: writing.box.maxY))
    let (left, right) = (Int(from.x.rounded()), max(Int(to.x.rounded()), Int(from.x.rounded()) + 1))
    let (top, bottom) = (Int(from.y.rounded()), max(Int(to.y.rounded()), Int(from.y.rounded()) + 1))
    let lines = text.wrapped(columns: right - left, rows: bottom - top)
    let first =
      switch writing.place {
      case .top: top
      case .middle: top + (bottom - top - lines.count) / 2
      case .bottom: bottom - lines.count
      }
    let columns = lines.flushColumns
    for (offset, line) in lines.enumerated() {
      let row = first + offset
      let free = right - left - columns[offset]
      let column =
        switch writing.align {
        case .left: left
        case .center: left + free / 2
        case .right: left + free
        }
      guard row >= 0, row < view.rows, !line.isEmpty else { continue }
      // A line that begins outside of the view isn't shown, because its visible letters would be at the wrong place.
      guard column >= 0, column < view.columns else { continue }
      let color = writing.color ?? pixels[2 * row, 2 * column].legible
      for part in seen(line, row, column, under: covers) {
        for cell in part.column..<min(view.columns, part.column + part.text.columns) {
          flatten(pixels, row, cell, &screen)
        }
        let look = Screen.Look(depth.ink(color), on: depth == .none ? .standard : nil, part.style)
        write(part.text, row, part.column, look, to: &screen)
      }
    }
  }

  /// The parts of a line of text that are not hidden by shapes, each of one look.
  private func seen(
    _ line: String,
    _ row: Int,
    _ column: Int,
    under covers: [Outline]
  ) -> [(text: String, column: Int, style: Cell.Style)] {
    if covers.isEmpty, !line.utf8.contains(where: DrawnText.isSign) { return [(line, column, [])] }
    var parts: [(text: String, column: Int, style: Cell.Style)] = []
    var style: Cell.Style = []
    var end = column
    var goesOn = false
    for character in line {
      if let sign = character.asciiValue, DrawnText.isSign(sign) {
        if sign != DrawnText.item {
          style = [DrawnText.isBold(sign) ? .bold : [], DrawnText.isLink(sign) ? .underlined : []]
        }
        goesOn = false
        continue
      }
      let middle = view.point(inColumn: end, row: row)
      if covers.contains(where: { $0.contains(middle) }) {
        goesOn = false
      } else if goesOn {
        parts[parts.count - 1].text.append(character)
      } else {
        parts.append((String(character), end, style))
        goesOn = true
      }
      end += String(character).columns
    }
    return parts
  }

  private func write(_ label: CanvasScene.Label, _ pixels: Pixels, to screen: inout Screen) {
    if let writing = label.writing { return write(label.text, writing, under: label.covers, pixels, to: &screen) }
    let place = view.cell(of: label.center)
    guard let row = row(place.y), let middle = column(place.x) else { return }
    let width = label.text.columns
    let start = middle - width / 2
    guard start >= 0, start + width <= view.columns else { return }
    let color = pixels[2 * row, 2 * middle].legible
    let text = depth == .none ? " \(label.text) " : label.text
    let look = Screen.Look(depth.ink(color), on: depth == .none ? .standard : nil)
    if depth == .none {
      write(text, row, start - 1, look, to: &screen)
    } else {
      for offset in 0..<width { flatten(pixels, row, start + offset, &screen) }
      write(text, row, start, look, to: &screen)
    }
  }

  /// Gives a cell one background colour, so that a character can be written into it.
  private func flatten(_ pixels: Pixels, _ row: Int, _ column: Int, _ screen: inout Screen) {
    guard depth != .none, row >= 0, row < view.rows, column >= 0, column < view.columns else { return }
    let quarters = quarters(pixels, row, column)
    let mean = (quarters[0] + quarters[1] + quarters[2] + quarters[3]) / 4
    screen[top + row, left + column] = Cell(.space, .standard, on: depth.ink(Color(mean)))
  }

  private func flag(_ name: String, _ row: Int, _ column: Int, _ color: Color, to screen: inout Screen) {
    guard row >= 0, row < view.rows else { return }
    let text = " \(name.fitting(20)) "
    // If the text would extend beyond a side of the view, it is moved inwards.
    let column = max(0, min(column, view.columns - text.columns))
    write(text, row, column, flagLook(color), to: &screen)
  }

  private func flagLook(_ color: Color) -> Screen.Look {
    depth == .none
      ? Screen.Look(.standard, on: .standard, .reversed)
      : Screen.Look(depth.ink(color.legible), on: depth.ink(color))
  }

  // MARK: - Selections and pointers

  private func write(_ mark: CanvasScene.Mark, _ pixels: Pixels, to screen: inout Screen) {
    if mark.hasHandles {
      let handles = Handles(of: mark.outline, in: view)
      for place in handles.corners { writeHandle(Glyph("■"), place, mark.color, pixels, to: &screen) }
      if let place = handles.turning { writeHandle(Glyph("↻"), place, mark.color, pixels, to: &screen) }
    }
    if let name = mark.flag {
      let bounds = mark.outline.bounds
      let place = view.cell(of: bounds.origin)
      let end = view.cell(of: Point(x: bounds.maxX, y: bounds.maxY))
      guard end.x > 0, place.x < Double(view.columns), end.y > 0, place.y < Double(view.rows) else { return }
      flag(name, Int(max(place.y.rounded(.down) - 1, 0)), Int(max(place.x.rounded(.down), 0)), mark.color, to: &screen)
    }
  }

  private func writeHandle(
    _ glyph: Glyph,
    _ place: Screen.Place,
    _ color: Color,
    _ pixels: Pixels,
    to screen: inout Screen
  ) {
    guard place.row >= 0, place.row < view.rows, place.column >= 0, place.column < view.columns else { return }
    flatten(pixels, place.row, place.column, &screen)
    let background = screen[top + place.row, left + place.column].background
    screen[top + place.row, left + place.column] = Cell(glyph, depth.ink(color), on: background, .bold)
  }

  private func write(_ pointer: CanvasScene.Pointer, to screen: inout Screen) {
    let place = view.cell(of: pointer.place)
    guard let row = row(place.y), let column = column(place.x) else { return }
    write("↖", row, column, flagLook(pointer.color), to: &screen)
    flag(pointer.name, min(row + 1, view.rows - 1), column + 1, pointer.color, to: &screen)
  }

  // MARK: - The empty canvas

  private func write(invitation lines: [String], to screen: inout Screen) {
    for (offset, line) in lines.enumerated() {
      let row = view.rows / 2 - lines.count / 2 + offset
      let look = Screen.Look(depth.ink(offset == 0 ? theme.text : theme.quiet), on: depth.ink(theme.paper))
      write(line, row, (view.columns - line.columns) / 2, look, to: &screen)
    }
  }

  private func write(_ text: String, _ row: Int, _ column: Int, _ look: Screen.Look, to screen: inout Screen) {
    guard row >= 0, row < view.rows, column < view.columns else { return }
    let start = max(column, 0)
    screen.write(text, row: top + row, column: left + start, look, columnsMax: view.columns - start)
  }

  private func row(_ y: Double) -> Int? { y >= 0 && y < Double(view.rows) ? Int(y) : nil }
  private func column(_ x: Double) -> Int? { x >= 0 && x < Double(view.columns) ? Int(x) : nil }
}
