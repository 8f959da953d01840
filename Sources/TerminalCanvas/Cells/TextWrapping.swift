import CanvasCRDT

// Texts as they are drawn, with the signs of `DrawnText`, in lines of cells. Each line has its own signs: the one of the
// look that it begins with, and the one of an item behind the head, which is blank in lines after an item's first.

extension String {
  /// Breaks a text into lines of at most `columns` columns, between words if possible. A text of more than `rows` lines
  /// is truncated with `…`.
  public func wrapped(columns: Int, rows: Int) -> [String] {
    guard columns > 0, rows > 0 else { return [] }
    var lines: [String] = []
    for paragraph in beginning(columns: columns, rows: rows).split(separator: "\n", omittingEmptySubsequences: false) {
      lines += String(paragraph).wrapped(columns: columns, linesMax: rows + 1 - lines.count)
      // Lines after the last row would not be shown.
      if lines.count > rows { break }
    }
    if lines.count > rows {
      lines = Array(lines.prefix(rows - 1)) + [(lines[rows - 1] + "…").fitting(columns)]
    }
    return lines
  }

  /// What can be seen of the text, and a row more. Texts are wrapped in each frame, so a long text in a small box must
  /// not take longer than a short one. A cell may have three marks or signs, which take no column of their own.
  private func beginning(columns: Int, rows: Int) -> String {
    let scalarsMax = 4 * columns * (rows + 1)
    return utf8.count <= scalarsMax ? self : String(String.UnicodeScalarView(unicodeScalars.prefix(scalarsMax)))
  }

  /// Breaks one paragraph into lines, of which no more than `linesMax` are needed.
  private func wrapped(columns: Int, linesMax: Int) -> [String] {
    let sign = Character(Unicode.Scalar(DrawnText.item))
    guard let mark = firstIndex(of: sign) else { return wordsWrapped(columns: columns, linesMax: linesMax) }
    let head = self[...mark]
    let indent = String(head).columns
    let blank = String(repeating: " ", count: indent) + String(sign)
    let words = String(self[index(after: mark)...])
    return words.wordsWrapped(columns: max(1, columns - indent), linesMax: linesMax).enumerated().map {
      ($0.offset == 0 ? head : Substring(blank)) + $0.element
    }
  }

  private func wordsWrapped(columns: Int, linesMax: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    var width = 0
    func end() {
      lines.append(line)
      (line, width) = ("", 0)
    }
    for word in split(separator: " ", omittingEmptySubsequences: false) where lines.count < linesMax {
      let gap = line.isEmpty ? "" : " "
      let wordWidth = gap.utf8.count + String(word).columns
      if width + wordWidth <= columns {
        line += gap + word
        width += wordWidth
        continue
      }
      if !line.isEmpty { end() }
      for character in word where lines.count < linesMax {
        let characterWidth = String(character).columns
        if !line.isEmpty, width + characterWidth > columns { end() }
        line.append(character)
        width += characterWidth
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
