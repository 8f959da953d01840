import CanvasCRDT

/// What the keys do, for the panel that the key `?` opens.
public enum KeyHelp {
  public typealias Group = (title: String, keys: [(key: String, what: String)])

  public static let room: [Group] = [
    (
      "Draw",
      [
        ("drag on nothing", "a rectangle"), ("double click", "a circle"), ("r o e p s, a", "a shape, an arrow"),
        ("n, 3", "Add Square, three"), ("d", "duplicate"),
      ]
    ),
    (
      "Select",
      [
        ("click, Tab", "one, the next"), ("Alt-click", "one more"), ("Ctrl-A, Esc", "all, none"),
        ("right drag", "all in a box"), ("Enter, i", "rename, write in it"),
      ]
    ),
    (
      "Look",
      [
        ("wheel, + -", "zoom"), ("middle drag, Alt-arrows", "pan"), ("0, 1", "fit, 100 %"), ("f", "follow someone"),
        ("g, t", "panel, light or dark"), ("q", "leave"),
      ]
    ),
    (
      "Change",
      [
        ("drag, arrows", "move (Shift: finely)"), ("corner, < >", "size"), ("↻, [ ]", "turn ({ }: finely)"),
        ("c, double click", "another colour"), (", .", "fainter, stronger"), ("w, v", "outline, fill or none"),
        ("h, k", "hide, lock"),
        ("G", "group, ungroup"),
        ("PgUp PgDn", "forward, backward"), ("Home End", "to front, to back"), ("x, Delete", "delete"),
        ("triple click", "delete, or edit text"), ("u, U", "undo, redo"), ("I", "put back a lost text"),
        ("B", "Black Hole"),
      ]
    ),
  ]

  public static let replay: [Group] = [
    (
      "Replay",
      [
        ("Space", "pause, go on"), ("← →", "a step back, ahead"), ("Home End", "to begin, to end"),
        ("click the bar", "to that moment"), ("< >", "slower, faster"), ("wheel, + - 0", "zoom, fit"),
        ("Alt-arrows", "pan"), ("g, t", "panel, light or dark"), ("q", "leave"),
      ]
    )
  ]
}

extension RoomScreen {
  /// Writes a panel in the middle of the screen. It has one column, or two columns if one would be too high.
  func writeHelp(_ groups: [KeyHelp.Group], to screen: inout Screen) {
    let rowsMax = layout.rows - 3
    var pages: [[KeyHelp.Group]] = [[]]
    var used = 0
    for group in groups {
      let rows = group.keys.count + 2
      if used + rows > rowsMax + 1, !pages[pages.count - 1].isEmpty {
        pages.append([])
        used = 0
      }
      pages[pages.count - 1].append(group)
      used += rows
    }
    let width = 38
    let shown = min(pages.count, max(1, (layout.columns - 2) / width))
    let height = min(rowsMax, pages.prefix(shown).map { page in page.reduce(-1) { $0 + $1.keys.count + 2 } }.max() ?? 0)
    let top = max(0, (layout.rows - height - 2) / 2)
    let left = max(0, (layout.columns - shown * width - 2) / 2)
    for row in top..<min(layout.rows, top + height + 2) {
      screen.fill(row: row, columns: left..<min(layout.columns, left + shown * width + 2), with: blank(theme.raised))
    }
    for (index, page) in pages.prefix(shown).enumerated() {
      var row = top + 1
      for group in page {
        let column = left + 2 + index * width
        screen.write(group.title, row: row, column: column, look(theme.quiet, on: theme.raised, .bold))
        row += 1
        for (key, what) in group.keys where row < top + height + 1 {
          let end = screen.write(
            key,
            row: row,
            column: column,
            look(theme.text, on: theme.raised, .bold),
            columnsMax: 24
          )
          screen.write(
            what,
            row: row,
            column: max(column + 16, end + 1),
            look(theme.text, on: theme.raised),
            columnsMax: column + width - 1 - max(column + 16, end + 1)
          )
          row += 1
        }
        row += 1
      }
    }
  }
}
