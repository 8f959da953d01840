import CanvasCRDT

/// Numbers and durations as users type and read them.
enum Figures {
  /// The shortest text that reads back as the same number, without `.0` for whole numbers.
  static func number(_ value: Double) -> String {
    var writer = ByteWriter(capacity: NumberText.lengthMax)
    writer.appendNumber(value)
    return String(decoding: writer.finish(), as: UTF8.self)
  }

  /// Rounded, for tables.
  static func rounded(_ value: Double, decimals: Int = 1) -> String {
    let scale = decimals == 0 ? 1.0 : decimals == 1 ? 10.0 : 100.0
    return number((value * scale).rounded() / scale)
  }

  /// A count that a server has sent. It is 0 for what isn't a count, and has an upper bound, because a server or a proxy
  /// may send any number.
  static func count(_ value: Double) -> Int {
    // With the arguments in this order, NaN becomes 0.
    Int(max(0, min(value, 1e15)))
  }

  /// `1 shape`, `2 shapes`.
  static func counted(_ count: Int, _ noun: String) -> String { count == 1 ? "1 \(noun)" : "\(count) \(noun)s" }

  /// - Parameter count: `nil` if there are too many.
  static func overlaps(_ count: Int?) -> String {
    guard let count else { return "too many overlaps to list" }
    return count == 0 ? "no overlaps" : counted(count, "overlap")
  }

  private static let units: [(name: String, milliseconds: Double)] = [
    ("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
  ]

  /// Some three hundred years. In nanoseconds, that still fits into 64 bits.
  private static let millisecondsMax = 1e13

  /// Reads a duration such as `500ms`, `1.5s`, `5m`, `2h` or `1d`.
  static func milliseconds(_ text: String) -> UInt64? {
    for unit in units where text.hasSuffix(unit.name) {
      guard let number = Double(text.dropLast(unit.name.count)), number >= 0,
        number * unit.milliseconds < millisecondsMax
      else { continue }
      return UInt64((number * unit.milliseconds).rounded())
    }
    return nil
  }

  /// A duration such as `0.8 ms`, `12 ms`, `1.5 s` or `4 min`.
  static func duration(microseconds: UInt64) -> String {
    let milliseconds = Double(microseconds) / 1_000
    if milliseconds < 10 { return "\(rounded(milliseconds)) ms" }
    if milliseconds < 1_000 { return "\(rounded(milliseconds, decimals: 0)) ms" }
    if milliseconds < 120_000 { return "\(rounded(milliseconds / 1_000)) s" }
    return "\(rounded(milliseconds / 60_000, decimals: 0)) min"
  }

  /// A percentage such as `38 %`. A small percentage is shown as `<1 %`, and never as `0 %`.
  static func percentage(_ part: Double) -> String {
    let percent = (part * 100).rounded()
    if part > 0, percent < 1 { return "<1 %" }
    return "\(number(min(percent, 100))) %"
  }
}

extension Point {
  var words: String { "\(Figures.rounded(x)), \(Figures.rounded(y))" }
}

extension Size {
  var words: String { "\(Figures.rounded(width)) × \(Figures.rounded(height))" }
}
