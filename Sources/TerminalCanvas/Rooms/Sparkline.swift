/// A row of small columns that shows the last values of a figure, the newest at the right.
enum Sparkline {
  private static let columns: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

  /// The largest of the values is a full column. A zero is not drawn.
  static func text(of values: [Double], width: Int) -> String {
    let shown = values.suffix(width)
    let largest = shown.max() ?? 0
    return String(
      shown.map { value -> Character in
        guard value > 0, largest > 0 else { return " " }
        return columns[Int(value / largest * Double(columns.count - 1))]
      }
    )
  }
}
