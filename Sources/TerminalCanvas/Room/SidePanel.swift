import CanvasCRDT

extension RoomScreen {
  /// Writes the panel to the right of the canvas: the people, the layers from the front to the back, and the
  /// overlapping shapes.
  func writePanel(_ frame: RoomFrame, to screen: inout Screen) {
    let left = layout.canvasColumns
    for row in 0..<layout.canvasRows {
      screen.fill(row: row, columns: left..<layout.columns, with: blank(theme.panel))
      if depth == .none { screen.write("│", row: row, column: left, look(theme.quiet, on: theme.panel)) }
    }
    // The number of people is shown only if some of them are not visible.
    let people = layout.people.count
    let count = frame.people.count + frame.unnamedCount
    let crowd = count > people ? range(RoomFrame.Window(frame.people, count: count), people) : nil
    if !frame.people.isEmpty { heading("People", crowd, row: layout.people.lowerBound - 1, to: &screen) }
    for (offset, person) in frame.people.prefix(layout.people.count).enumerated() {
      write(person, row: layout.people.lowerBound + offset, to: &screen)
    }
    heading("Layers", range(frame.layers, layout.layers.count), row: layout.layers.lowerBound - 1, to: &screen)
    for (offset, layer) in frame.layers.elements.prefix(layout.layers.count).enumerated() {
      write(layer, row: layout.layers.lowerBound + offset, to: &screen)
    }
    if frame.layers.count == 0 { faint("Nothing is drawn yet.", row: layout.layers.lowerBound, to: &screen) }
    heading(
      "Overlaps",
      range(frame.overlaps, layout.overlaps.count),
      row: layout.overlaps.lowerBound - 1,
      to: &screen
    )
    for (offset, overlap) in frame.overlaps.elements.prefix(layout.overlaps.count).enumerated() {
      write(overlap, row: layout.overlaps.lowerBound + offset, to: &screen)
    }
    if frame.overlaps.count == 0 {
      let words = frame.isCrowded ? "Too many to list." : "Nothing overlaps."
      faint(words, row: layout.overlaps.lowerBound, to: &screen)
    }
  }

  private var inner: Int { layout.canvasColumns + 2 }
  private var innerColumns: Int { RoomLayout.panelColumns - 3 }

  private func heading(_ text: String, _ detail: String?, row: Int, to screen: inout Screen) {
    let column = screen.write(text, row: row, column: inner, look(theme.quiet, on: theme.panel, .bold))
    guard let detail else { return }
    let start = inner + innerColumns - detail.columns
    if start > column { screen.write(detail, row: row, column: start, look(theme.quiet, on: theme.panel)) }
  }

  private func faint(_ text: String, row: Int, to screen: inout Screen) {
    screen.write(text, row: row, column: inner, look(theme.quiet, on: theme.panel), columnsMax: innerColumns)
  }

  /// The number of elements. If some are not visible, the text also says which ones are visible.
  private func range<Element>(_ window: RoomFrame.Window<Element>, _ rows: Int) -> String? {
    if window.count == 0 { return nil }
    if window.count <= rows { return "\(window.count)" }
    return "\(window.start + 1)–\(min(window.start + rows, window.count)) of \(window.count)"
  }

  private func write(_ person: RoomFrame.Person, row: Int, to screen: inout Screen) {
    let column = screen.write("● ", row: row, column: inner, look(person.color, on: theme.panel))
    var text = person.name.isEmpty ? "Someone" : person.name
    if person.isSelf { text += " (you)" }
    if person.isFollowed { text += " · following" }
    screen.write(text, row: row, column: column, look(theme.text, on: theme.panel), columnsMax: innerColumns - 2)
  }

  private func write(_ layer: RoomFrame.Layer, row: Int, to screen: inout Screen) {
    let background = layer.isSelected ? theme.raised : theme.panel
    let style: Cell.Style = depth == .none && layer.isSelected ? .reversed : layer.isSelected ? .bold : []
    let look = look(layer.isVisible ? theme.text : theme.quiet, on: background, style)
    screen.fill(
      row: row,
      columns: (inner - 1)..<layout.columns,
      with: Cell(.space, look.foreground, on: look.background ?? .standard, style)
    )
    screen.write("■", row: row, column: inner, self.look(layer.color, on: background, style))
    screen.write(layer.name.fittingWithEnd(innerColumns - 4), row: row, column: inner + 2, look)
    let eye = layer.isVisible ? "●" : "○"
    screen.write(eye, row: row, column: layout.columns - 2, self.look(theme.quiet, on: background, style))
  }

  private func write(_ overlap: RoomFrame.Overlap, row: Int, to screen: inout Screen) {
    let share = overlap.percent.map { $0 == 0 ? " <1 %" : " \($0) %" } ?? ""
    let mark = screen.write("⚠ ", row: row, column: inner, look(Theme.overlap, on: theme.panel))
    // The columns for both names together, without `⚠ ` before them, ` × ` between them and the share after them.
    let room = innerColumns - 2 - share.columns - 3
    let first = overlap.first.columns
    let second = overlap.second.columns
    let firstRoom = first + second <= room ? first : max(room - second, min(first, room / 2))
    let text =
      "\(overlap.first.fittingWithEnd(firstRoom)) × \(overlap.second.fittingWithEnd(room - min(first, firstRoom)))"
    screen.write(text, row: row, column: mark, look(theme.text, on: theme.panel))
    screen.write(share, row: row, column: inner + innerColumns - share.columns, look(theme.quiet, on: theme.panel))
  }
}
