import WebSocketLoop

/// A budget of log lines for each address. Lines beyond the budget are only counted, and the count is written now and
/// then. So nobody fills the disk, and a flood from one address doesn't hide what others do.
///
/// What always holds: each line is written, or is in a count that `takeCounts` returns. An address that has caused no
/// lines lately has no entry, and there are at most `entriesMax` entries.
struct LineBudget {
  /// How many lines an address may cause in a burst. After the burst, a hundredth of them is allowed each second.
  private let linesMax: Int
  /// The upper bound on the addresses with a budget of their own. All further addresses share one.
  private static let entriesMax = 4_096
  private static let secondsBetweenCounts = 10

  private struct Entry {
    var left: Int
    var unwritten = 0
  }

  private var entries: [String: Entry] = [:]
  private var seconds = 0

  init(linesMax: Int = 100) { self.linesMax = linesMax }

  /// - Returns: whether a line may be written. A line that may not be written is counted.
  mutating func takes(_ address: String) -> Bool {
    let party = NetworkAddress.party(of: address)
    let key = entries[party] != nil || entries.count < LineBudget.entriesMax ? party : LineBudget.others
    var entry = entries[key] ?? Entry(left: linesMax)
    defer { entries[key] = entry }
    guard entry.left > 0 else {
      entry.unwritten += 1
      return false
    }
    entry.left -= 1
    return true
  }

  private static let others = "others"

  /// To be called once a second, and at the end.
  /// - Returns: for each address, how many lines were counted instead of written. Counts are returned only every ten
  ///   seconds.
  mutating func takeCounts(isEnd: Bool = false) -> [(address: String, count: Int)] {
    seconds += 1
    let isDue = isEnd || seconds % LineBudget.secondsBetweenCounts == 0
    var counts: [(address: String, count: Int)] = []
    for (party, entry) in entries {
      var entry = entry
      entry.left += linesMax / 100
      if isDue, entry.unwritten > 0 {
        counts.append((party, entry.unwritten))
        entry.unwritten = 0
      }
      entries[party] = entry.left < linesMax || entry.unwritten > 0 ? entry : nil
    }
    return counts.sorted { $0.address < $1.address }
  }
}
