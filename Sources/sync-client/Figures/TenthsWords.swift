import CanvasCRDT

/// Properties in tenths, such as alpha, which users type and read in percent: 70 % is 7 in the protocol.
enum TenthsWords {
  static func text(_ tenths: Int16) -> String { "\(tenths * 10) %" }

  /// Reads `70%` and `70 %`. Also reads `7` and `0.7`, which earlier versions used, but not `1`: it could mean 10 % or
  /// 100 %.
  static func tenths(_ text: String) -> Double? {
    if text.hasSuffix("%") {
      let number = text.dropLast().reversed().drop { $0 == " " }.reversed()
      return Double(String(number)).map { $0 / 10 }
    }
    guard let number = Double(text), number != 1 else { return nil }
    return number < 1 ? (number * 1_000).rounded() / 100 : number
  }

  static func complaint(_ name: String, _ value: String, _ range: ClosedRange<Int16>) -> String {
    let bounds = "\(text(range.lowerBound)) to \(text(range.upperBound)) in steps of 10 %"
    var meant = ""
    if value == "1" { meant = " Did you mean \(name)=10% or \(name)=100%?" }
    if let number = Double(value), number > 10, number <= 100 { meant = " Did you mean \(name)=\(value)%?" }
    return "\(name)=\(value): \(name) is \(bounds), such as \(name)=70%.\(meant)"
  }
}
