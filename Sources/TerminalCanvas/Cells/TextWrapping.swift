extension String {
  /// Breaks a text into lines of at most `columns` columns, between words if possible. A text of more than `rows` lines
  /// is truncated with `…`.
  public func wrapped(columns: Int, rows: Int) -> [String] {
    guard columns > 0, rows > 0 else { return [] }
    var lines: [String] = []
    for paragraph in split(separator: "\n", omittingEmptySubsequences: false) {
      lines += String(paragraph).wrapped(columns: columns)
      // Lines after the last row would not be shown.
      if lines.count > rows { break }
    }
    if lines.count > rows {
      let last = lines[rows - 1]
      lines = Array(lines.prefix(rows - 1)) + [(last.columns < columns ? last : last.fitting(columns - 1)) + "…"]
      if lines[rows - 1].columns > columns { lines[rows - 1] = last.fitting(columns) }
    }
    return lines
  }

  /// Breaks one paragraph into lines.
  private func wrapped(columns: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in split(separator: " ", omittingEmptySubsequences: false) {
      let longer = line.isEmpty ? String(word) : line + " " + word
      if longer.columns <= columns {
        line = longer
        continue
      }
      if !line.isEmpty { lines.append(line) }
      line = ""
      for character in word {
        if !line.isEmpty, (line + String(character)).columns > columns {
          lines.append(line)
          line = ""
        }
        line.append(character)
      }
    }
    return lines + [line]
  }
}
