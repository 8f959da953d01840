import Basics

/// A line of results: one JSON object.
struct ResultLine {
  private var members: [String] = []

  mutating func add(_ name: String, _ value: Int) { members.append("\"\(name)\":\(value)") }
  mutating func add(_ name: String, _ value: UInt64) { members.append("\"\(name)\":\(value)") }
  mutating func add(_ name: String, _ value: Bool) { members.append("\"\(name)\":\(value)") }

  mutating func add(_ name: String, _ value: Double) {
    // JSON has no Infinity and no NaN, which a division by zero gives.
    members.append("\"\(name)\":\(value.isFinite ? "\((value * 1e6).rounded() / 1e6)" : "null")")
  }

  mutating func add(_ name: String, _ values: [Double]) {
    members.append("\"\(name)\":[\(values.map { "\(($0 * 1e3).rounded() / 1e3)" }.joined(separator: ","))]")
  }

  mutating func add(_ name: String, nanoseconds: Percentiles) {
    for (word, part) in [("P50", 0.5), ("P99", 0.99), ("P999", 0.999), ("Max", 1)] {
      add("\(name)\(word)Milliseconds", Double(nanoseconds[part]) / 1e6)
    }
  }

  var text: String { "{\(members.joined(separator: ","))}" }
}
