import CanvasCRDT

/// How much of a room's memory for deletions each address and each token has used lately.
///
/// A place in that memory holds one deletion. A new shape uses a place, because it will be deleted some day. Deleting a
/// shape that never existed also uses a place. So does editing such a shape, because the room keeps the edit without a
/// shape (a remnant). The number of used places decays as fast as the room can forget deletions.
///
/// What always holds: after `forgetFaded`, an address or token that has used nothing lately has no entry. There are at
/// most `entriesMax` entries.
struct MemoryShares: Sendable {
  private enum Name: Hashable {
    case address(String)
    case token(Payer.Account)
  }

  private struct Taken {
    var places: Double
    var at: UInt64
  }

  private let limits: Limits
  private var entries: [Name: Taken] = [:]

  /// The upper bound on the entries. If there are more, the smallest are dropped.
  private static let entriesMax = 4_096
  /// The lower bound on a share, so that a single message always fits.
  private static let shareMin: UInt64 = 1_024

  init(limits: Limits) { self.limits = limits }

  /// How many places one payer may use in a memory that has `most` places.
  private func share(of most: UInt64) -> Double { Double(max(most / 8, MemoryShares.shareMin)) }

  /// Refuses a message if its payer would then use more than the payer's share. Shares are enforced only while the
  /// memory for deletions, or the memory for remnants, is more than half full.
  func check(
    _ places: Int,
    for payer: Payer?,
    taken: (erasures: Int, remnants: Int),
    now: Moment
  ) throws(Rejection) {
    guard places > 0, let payer else { return }
    for (taken, most) in [(taken.erasures, limits.erasures), (taken.remnants, limits.shapes)]
    where UInt64(clamping: taken + places) > most / 2 {
      for name in MemoryShares.names(of: payer) {
        guard let entry = entries[name], left(of: entry, now: now) + Double(places) > share(of: most) else { continue }
        throw Rejection(code: .quotaExceeded, message: MemoryShares.words(for: name))
      }
    }
  }

  mutating func charge(_ places: Int, to payer: Payer?, now: Moment) {
    guard places > 0, let payer else { return }
    for name in MemoryShares.names(of: payer) {
      let before = entries[name].map { left(of: $0, now: now) } ?? 0
      entries[name] = Taken(places: before + Double(places), at: now.monotonicMilliseconds)
    }
    guard entries.count > MemoryShares.entriesMax else { return }
    let middle = entries.values.map { left(of: $0, now: now) }.sorted()[MemoryShares.entriesMax / 2]
    entries = entries.filter { left(of: $0.value, now: now) > middle }
  }

  /// Gives back places that a batch would have used, if the log hasn't stored it. Otherwise clients that try again and
  /// again during an outage would use up their shares with nothing.
  mutating func giveBack(_ places: Int, to payer: Payer?) {
    guard places > 0, let payer else { return }
    for name in MemoryShares.names(of: payer) {
      if let entry = entries[name] { entries[name]?.places = max(0, entry.places - Double(places)) }
    }
  }

  /// Drops the entries that have decayed to nothing. To be called now and then.
  mutating func forgetFaded(now: Moment) {
    guard !entries.isEmpty else { return }
    entries = entries.filter { left(of: $0.value, now: now) > 0 }
  }

  private func left(of entry: Taken, now: Moment) -> Double {
    let milliseconds = now.monotonicMilliseconds - min(entry.at, now.monotonicMilliseconds)
    return max(0, entry.places - Double(milliseconds) / Double(limits.erasureMilliseconds) * share(of: limits.erasures))
  }

  private static func names(of payer: Payer) -> [Name] {
    [.address(payer.address)] + (payer.token.map { [.token($0)] } ?? [])
  }

  private static func words(for name: Name) -> Text {
    switch name {
    case .address: "this room has much to remember, and your address has brought its share; try again later"
    case .token: "this room has much to remember, and your token has brought its share; try again later"
    }
  }
}
