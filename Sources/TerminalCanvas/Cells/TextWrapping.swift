import CanvasCRDT

// Texts as they are drawn, with the signs of `DrawnText`, in lines of cells. Each line has its own signs: the one of the
// look that it begins with, and the one of an item behind the head, which is blank in lines after an item's first.

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
    let sign = Character(Unicode.Scalar(DrawnText.item))
    guard let mark = firstIndex(of: sign) else { return wordsWrapped(columns: columns) }
    let head = self[...mark]
    let indent = String(head).columns
    let blank = String(repeating: " ", count: indent) + String(sign)
    return String(self[index(after: mark)...]).wordsWrapped(columns: max(1, columns - indent)).enumerated().map {
      ($0.offset == 0 ? head : Substring(blank)) + $0.element
    }
  }

  private func wordsWrapped(columns: Int) -> [String] {
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
    lines.append(line)
    var look = ""
    return lines.map { line in
      defer { look = line.last { $0.isSign }.map { String($0) } ?? look }
      return look + line
    }
  }
}

extension Character {
  fileprivate var isSign: Bool { asciiValue.map(DrawnText.isSign) ?? false }
}

extension [String] {
  /// How many columns each line takes. The lines of a list are flush with each other, so they count like the widest one.
  var flushColumns: [Int] {
    let sign = Unicode.Scalar(DrawnText.item)
    var columns = map(\.columns)
    var start = 0
    while start < count {
      let list = self[start...].prefix { $0.unicodeScalars.contains(sign) }
      if let widest = columns[list.indices].max() {
        for index in list.indices { columns[index] = widest }
      }
      start = list.endIndex + 1
    }
    return columns
  }
}
