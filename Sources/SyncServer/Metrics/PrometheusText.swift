import Basics
import RoomLog

/// Writes metrics in the text form that Prometheus reads.
///
/// The text is made on the loop, and has hundreds of short lines. It is gathered as bytes, because adding a few letters
/// to a long `String` costs several times as much.
struct PrometheusText {
  enum Kind: String {
    case counter
    case gauge
  }

  private(set) var bytes: [UInt8] = []

  init() { bytes.reserveCapacity(PrometheusText.usualBytes) }

  /// The space that is reserved for the text: a little more than a server with few rooms needs.
  private static let usualBytes = 32 << 10

  mutating func metric(_ name: String, _ kind: Kind, _ words: String, _ value: some BinaryInteger) {
    head(name, kind.rawValue, words)
    add("\(name) \(value)\n")
  }

  mutating func metric(_ name: String, _ kind: Kind, _ words: String, seconds microseconds: UInt64) {
    head(name, kind.rawValue, words)
    add("\(name) \(Double(microseconds) / 1e6)\n")
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
    add("\(name){\(labels)} \(Double(microseconds) / 1e6)\n")
  }

  /// Writes a metric with a label: one line for each value of the label, in the order of the values.
  mutating func metric(_ name: String, _ kind: Kind, _ words: String, by label: String, _ values: [String: UInt64]) {
    head(name, kind.rawValue, words)
    for (value, count) in values.sorted(by: { $0.key < $1.key }) {
      add("\(name){\(label)=\"\(value)\"} \(count)\n")
    }
  }

  /// - Parameter divisor: what the histogram's values are divided by, so that they have the unit that the metric's name
  ///   says.
  mutating func histogram(_ name: String, _ words: String, _ histogram: Histogram, divisor: Double = 1) {
    head(name, "histogram", words)
    var sum: UInt64 = 0
    // The beginning of a bucket's line is encoded once for all buckets, because most lines of the text are for buckets.
    let start = Array("\(name)_bucket{le=\"".utf8)
    for (bound, count) in zip(histogram.scale.bounds, histogram.counts) {
      sum += count
      bytes += start
      add((Double(bound) / divisor).description)
      add("\"} ")
      add(String(sum))
      add("\n")
    }
    sum += histogram.counts[histogram.scale.bounds.count]
    add("\(name)_bucket{le=\"+Inf\"} \(sum)\n")
    add("\(name)_sum \(Double(histogram.sum) / divisor)\n")
    add("\(name)_count \(sum)\n")
  }

  private mutating func add(_ words: String) { bytes += words.utf8 }

  private mutating func head(_ name: String, _ kind: String, _ words: String) {
    add("# HELP \(name) \(words)\n# TYPE \(name) \(kind)\n")
  }
}
