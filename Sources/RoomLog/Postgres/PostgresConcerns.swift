/// Reports database settings that an operator should change, although the log works with them.
///
/// What always holds: each problem is reported once, and again only if it had disappeared in between.
final class PostgresConcerns {
  private enum Kind { case pages, standbys, clock }

  private let reports: PostgresReports
  /// This machine's clock, in Unix milliseconds, for a comparison with the database's clock.
  private let clock: () -> UInt64
  private var told: Set<Kind> = []
  /// Whether this node has ever seen standbys that commits waited for.
  private var hadStandbys = false

  init(_ reports: PostgresReports, clock: @escaping () -> UInt64) {
    self.reports = reports
    self.clock = clock
  }

  /// - Parameter settings: the answer to `PostgresSchema.settings`.
  func note(_ settings: PostgresRows) {
    let place = reports.address.description
    var words: [Kind: String] = [:]
    if settings.text(0, 5) == "off" {
      words[.pages] = "\(place) has full_page_writes = off: a crash of its machine may damage what is stored"
    }
    if !settings.text(0, 6).isEmpty {
      hadStandbys = true
    } else if hadStandbys {
      words[.standbys] = "\(place) waits for no standby any more: from now on one machine has what is acknowledged"
    }
    let ahead = Int64(clamping: clock()) - Int64(clamping: settings.natural(0, 7))
    if ahead.magnitude > PostgresConcerns.clockMillisecondsMax {
      let way = ahead > 0 ? "ahead of" : "behind"
      words[.clock] =
        "this machine's clock is \(ahead.magnitude / 1_000) s \(way) that of \(place); set both by a time server"
    }
    for (kind, words) in words where !told.contains(kind) { reports.tell([.concern(words)]) }
    told = Set(words.keys)
  }

  /// The smallest clock difference that is reported. It is much longer than the database takes to answer, so a slow
  /// answer isn't mistaken for a difference.
  private static let clockMillisecondsMax: UInt64 = 5_000
}
