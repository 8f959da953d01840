import RoomLog

/// Writes metrics in the text form that Prometheus reads.
struct PrometheusText {
  enum Kind: String {
    case counter
    case gauge
  }

  private(set) var text = ""

  mutating func metric(_ name: String, _ kind: Kind, _ words: String, _ value: some BinaryInteger) {
    head(name, kind.rawValue, words)
    text += "\(name) \(value)\n"
  }

  mutating func metric(_ name: String, _ kind: Kind, _ words: String, seconds microseconds: UInt64) {
    head(name, kind.rawValue, words)
    text += "\(name) \(Double(microseconds) / 1e6)\n"
  }

  mutating func metric(
    _ name: String,
    _ kind: Kind,
    _ words: String,
    with labels: KeyValuePairs<String, String>,
    seconds microseconds: UInt64
  ) {
    head(name, kind.rawValue, words)
    let labels = labels.map { "\($0)=\"\($1)\"" }.joined(separator: ",")
    text += "\(name){\(labels)} \(Double(microseconds) / 1e6)\n"
  }

  /// Writes a metric with a label: one line for each value of the label, in the order of the values.
  mutating func metric(_ name: String, _ kind: Kind, _ words: String, by label: String, _ values: [String: UInt64]) {
    head(name, kind.rawValue, words)
    for (value, count) in values.sorted(by: { $0.key < $1.key }) {
      text += "\(name){\(label)=\"\(value)\"} \(count)\n"
    }
  }

  /// - Parameter divisor: what the histogram's values are divided by, so that they have the unit that the metric's name
  ///   says.
  mutating func histogram(_ name: String, _ words: String, _ histogram: Histogram, divisor: Double = 1) {
    head(name, "histogram", words)
    var sum: UInt64 = 0
    // Most lines of the text are of this kind, and the text is made on the loop. So each line is built with only one
    // allocation.
    let start = name + "_bucket{le=\""
    for (bound, count) in zip(histogram.scale.bounds, histogram.counts) {
      sum += count
      text += start
      text += (Double(bound) / divisor).description
      text += "\"} "
      text += String(sum)
      text += "\n"
    }
    sum += histogram.counts[histogram.scale.bounds.count]
    text += "\(name)_bucket{le=\"+Inf\"} \(sum)\n"
    text += "\(name)_sum \(Double(histogram.sum) / divisor)\n"
    text += "\(name)_count \(sum)\n"
  }

  private mutating func head(_ name: String, _ kind: String, _ words: String) {
    text += "# HELP \(name) \(words)\n# TYPE \(name) \(kind)\n"
  }
}
