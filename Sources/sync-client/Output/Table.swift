import TerminalCanvas

/// A text table with headings. Each column is as wide as its widest cell.
struct Table {
  struct Column {
    let heading: String
    var isNumeric = false
    /// The largest width of a cell. Longer texts are shortened in the middle.
    var widthMax = 48
  }

  struct Cell {
    let text: String
    var style = Style.plain

    init(_ text: String, _ style: Style = .plain) {
      self.text = text.printable
      self.style = style
    }
  }

  let columns: [Column]
  private(set) var rows: [[Cell]] = []

  init(_ columns: [Column]) { self.columns = columns }

  mutating func add(_ cells: [Cell]) { rows.append(cells) }

  /// The lines to print, headings first. Empty columns are left out.
  func lines(for output: Output) -> [String] {
    let used = columns.indices.filter { index in rows.contains { !$0[index].text.isEmpty } }
    var widths = columns.map { $0.heading.columns }
    for row in rows {
      for index in used {
        widths[index] = max(widths[index], min(row[index].text.columns, columns[index].widthMax))
      }
    }
    let heading = columns.map { Cell($0.heading, .faint) }
    return ([heading] + rows).map { row in
      var line = ""
      for index in used {
        let text = row[index].text.fittingWithEnd(columns[index].widthMax)
        let isLast = index == used.last && !columns[index].isNumeric
        let gap = String(repeating: " ", count: max(0, widths[index] - text.columns))
        let padded = isLast ? text : columns[index].isNumeric ? gap + text : text + gap
        line += (line.isEmpty ? "" : "  ") + output.styled(padded, row[index].style)
      }
      return line
    }
  }
}
