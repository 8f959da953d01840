import CanvasCRDT

/// A moment of the past, and its position between the beginning and the end.
public struct Timeline: Equatable, Sendable {
  /// The moment, as text.
  public var words: String
  /// The moment's position on the timeline, from 0 to 1.
  public var part: Double
  public var isPlaying: Bool
  public var speed: Double

  public init(words: String, part: Double, isPlaying: Bool, speed: Double) {
    self.words = words
    self.part = part
    self.isPlaying = isPlaying
    self.speed = speed
  }

  /// The columns of the bar in its row. `nil` if there is no space.
  public func bar(columns: Int, start: Int) -> Range<Int>? {
    let end = columns - tail.columns
    return end - start >= 4 ? start..<end : nil
  }

  var tail: String {
    let number = speed == speed.rounded() ? "\(Int(speed))" : "\(speed)"
    return "  ×\(number) · ? keys "
  }

  var head: String { " \(isPlaying ? "▶" : "❚❚") \(words)  " }

  /// The position on the timeline that a column of the bar stands for.
  public func part(atColumn column: Int, columns: Int) -> Double? {
    guard let bar = bar(columns: columns, start: head.columns), bar.contains(column) else { return nil }
    return bar.count > 1 ? Double(column - bar.lowerBound) / Double(bar.count - 1) : 0
  }
}

extension RoomScreen {
  /// Writes the last row of a replay: the moment, a bar, the speed.
  func write(_ timeline: Timeline, _ row: Int, _ plain: Screen.Look, to screen: inout Screen) {
    let start = screen.write(timeline.head, row: row, column: 0, plain)
    screen.write(timeline.tail, row: row, column: max(start, layout.columns - timeline.tail.columns), plain)
    guard let bar = timeline.bar(columns: layout.columns, start: start) else { return }
    let place = Int((min(max(timeline.part, 0), 1) * Double(bar.count - 1)).rounded())
    let text = String(repeating: "━", count: place) + "●" + String(repeating: "─", count: bar.count - 1 - place)
    screen.write(text, row: row, column: bar.lowerBound, plain)
  }
}
