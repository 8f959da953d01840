/// A row of small bars that shows the newest values of a metric, the very newest at the right.
enum Sparkline {
  private static let columns: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

  /// The row of bars. The largest value has a bar of full height, and a zero has none.
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
