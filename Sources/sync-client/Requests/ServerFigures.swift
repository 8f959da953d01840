/// A server's metrics at one moment, read from Prometheus's text format.
struct ServerFigures: Sendable {
  private var values: [String: Double] = [:]
  /// For each upper bound in seconds, the number of deliveries that took at most that long.
  private var deliveries: [(bound: Double, count: Double)] = []

  init(_ bytes: [UInt8]) {
    for line in bytes.split(separator: UInt8(ascii: "\n")) where line.first != UInt8(ascii: "#") {
      let text = String(decoding: line, as: UTF8.self)
      guard let space = text.lastIndex(of: " "), let value = Double(text[text.index(after: space)...]) else { continue }
      let name = String(text[..<space])
      let bucket = "canvas_delivery_seconds_bucket{le=\""
      if name.hasPrefix(bucket) {
        let bound = name.dropFirst(bucket.count).prefix { $0 != "\"" }
        deliveries.append((bound == "+Inf" ? .infinity : Double(bound) ?? .infinity, value))
      } else {
        values[name] = value
      }
    }
  }

  subscript(name: String) -> Double? { values[name] }

  /// The metrics as text, with rates since an earlier reading.
  func words(since before: ServerFigures?, seconds: Double) -> [String] {
    var words: [String] = []
    if let connections = self["canvas_connections"] {
      words.append(Figures.counted(Figures.count(connections), "connection"))
    }
    if let before, seconds > 0 {
      if let rate = rate("canvas_operations_in_total", before, seconds) {
        words.append("\(Figures.rounded(rate, decimals: 0)) ops/s in")
      }
      if let rate = rate("canvas_deliveries_total", before, seconds) {
        words.append("\(Figures.rounded(rate, decimals: 0)) out")
      }
      if let lag = lag(since: before) { words.append("lag \(lag)") }
      if let load = rate("process_cpu_seconds_total", before, seconds) {
        words.append("CPU \(Figures.percentage(load))")
      }
    }
    if let before, seconds > 0, let refusals = refusals(since: before, seconds: seconds) { words.append(refusals) }
    if let bytes = self["process_resident_memory_bytes"] { words.append("\(Figures.count(bytes / 1_048_576)) MB") }
    if self["canvas_ready"] == 0 { words.append("not ready") }
    return words
  }

  private func rate(_ name: String, _ before: ServerFigures, _ seconds: Double) -> Double? {
    guard let now = self[name], let then = before[name] else { return nil }
    // A server that was restarted counts from zero, so the difference can be negative.
    return max(0, now - then) / seconds
  }

  /// The rate of refusals, and the most frequent reason. `nil` if there were none.
  private func refusals(since before: ServerFigures, seconds: Double) -> String? {
    let prefix = "canvas_refusals_total{code=\""
    var all = 0.0
    var most: (code: Substring, count: Double) = ("", 0)
    for (name, count) in values where name.hasPrefix(prefix) {
      // A refusal code that is missing from the earlier figures had not occurred yet, so its earlier count is 0.
      let since = max(0, count - (before[name] ?? 0))
      all += since
      if since > most.count { most = (name.dropFirst(prefix.count).prefix { $0 != "\"" }, since) }
    }
    guard all > 0 else { return nil }
    return "\(Figures.rounded(all / seconds, decimals: all < seconds ? 1 : 0)) refused/s, most \(most.code)"
  }

  /// The approximate median and 99th percentile of the time from an operation's arrival to its delivery. A histogram
  /// gives a lower and an upper bound for each, and the middle is used.
  private func lag(since before: ServerFigures) -> String? {
    guard deliveries.count == before.deliveries.count, let all = deliveries.last,
      let allBefore = before.deliveries.last,
      all.count > allBefore.count
    else { return nil }
    func about(_ part: Double) -> String {
      let wanted = (all.count - allBefore.count) * part
      var below = 0.0
      for (now, then) in zip(deliveries, before.deliveries) {
        if now.count - then.count >= wanted {
          if below == 0 { return "≤ \(ServerFigures.words(seconds: now.bound))" }
          guard now.bound.isFinite else { break }
          return "≈ \(ServerFigures.words(seconds: (below * now.bound).squareRoot()))"
        }
        if now.bound.isFinite { below = now.bound }
      }
      return "> \(ServerFigures.words(seconds: below))"
    }
    return "\(about(0.5)), p99 \(about(0.99))"
  }

  private static func words(seconds: Double) -> String {
    Figures.duration(microseconds: UInt64(Figures.count((min(seconds, 1e6) * 1e6).rounded())))
  }
}
