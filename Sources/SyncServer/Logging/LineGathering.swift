import CanvasCRDT

/// Gathers lines that are alike. The first line is written at once. Further lines that are alike are only counted for
/// some seconds, and then their count is written. So a full disk, or a client that repeats itself, doesn't bury the
/// other lines.
///
/// What always holds: each line is written, or is in a count that is written when its time is over or the server ends.
struct LineGathering: Sendable {
  /// How long lines are counted before the count is written.
  static let windowMilliseconds: UInt64 = 10_000
  /// How many kinds of lines are counted at a time. Lines of further kinds are all written.
  static let kindsMax = 256

  /// The line that says how many lines were counted instead of written.
  struct Sum: Sendable {
    let level: Logger.Level
    let words: String
    /// The fields that are the same in all counted lines.
    let fields: [(key: String, value: Logger.Field)]
    fileprivate let beganAt: UInt64
    private(set) var count: UInt64 = 0
    /// When the last of the counted lines came, in Unix time.
    private(set) var lastMilliseconds: UInt64 = 0
    private(set) var seconds: UInt64 = 0

    init(_ level: Logger.Level, _ words: String, _ fields: [(key: String, value: Logger.Field)], now: Moment) {
      self.level = level
      self.words = words
      self.fields = fields
      beganAt = now.monotonicMilliseconds
    }

    fileprivate mutating func add(now: Moment) {
      count += 1
      lastMilliseconds = now.wallMilliseconds
    }

    fileprivate mutating func end(now: Moment) {
      seconds = (now.monotonicMilliseconds - min(beganAt, now.monotonicMilliseconds) + 999) / 1_000
    }
  }

  private var sums: [String: Sum] = [:]

  /// Counts a line in place of writing it, if a line like it was written a short while ago.
  /// - Parameter kind: a text that is equal for all lines that are alike.
  /// - Returns: whether the line was counted. If not, the caller has to write the line.
  mutating func counts(_ kind: String, now: Moment) -> Bool {
    guard sums[kind] != nil else { return false }
    sums[kind]?.add(now: now)
    return true
  }

  /// To be called when a line is written. From now on, lines like this one are counted.
  mutating func begin(_ kind: String, _ sum: Sum) {
    if sums.count < LineGathering.kindsMax { sums[kind] = sum }
  }

  /// The counts whose time is over, in the order in which they began.
  /// - Parameter isEnd: whether this is the last call. Then all counts are returned.
  mutating func takeSums(now: Moment, isEnd: Bool) -> [Sum] {
    var taken: [Sum] = []
    for (kind, sum) in sums
    where isEnd || now.monotonicMilliseconds >= sum.beganAt + LineGathering.windowMilliseconds {
      var sum = sum
      sum.end(now: now)
      sums[kind] = nil
      if sum.count > 0 { taken.append(sum) }
    }
    return taken.sorted { ($0.beganAt, $0.words) < ($1.beganAt, $1.words) }
  }
}
