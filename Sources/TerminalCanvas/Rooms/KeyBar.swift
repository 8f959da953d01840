import CanvasCRDT

extension Screen {
  /// Writes the last line: the keys, or a question.
  mutating func writeKeyBar(_ text: String, theme: Theme, depth: ColorDepth) {
    let look =
      depth == .none
      ? Look(.standard, on: .standard, .reversed)
      : Look(depth.ink(theme.text), on: depth.ink(theme.raised))
    write(text.padded(to: columns), row: rows - 1, column: 0, look)
  }

  /// Highlights the selected row of a table, over its whole width.
  mutating func writeSelection(row: Int, theme: Theme, depth: ColorDepth) -> Look {
    let look =
      depth == .none
      ? Look(.standard, on: .standard, .reversed)
      : Look(depth.ink(theme.text), on: depth.ink(theme.raised), .bold)
    write(String(repeating: " ", count: columns), row: row, column: 0, look)
    return look
  }
}
