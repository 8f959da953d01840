import CanvasCRDT

/// How much of a room's memory for deletions something takes.
///
/// A place holds one deletion. A new shape takes a place, because it will be deleted some day. Deleting a shape that never
/// existed also takes one. So does editing such a shape, because the room keeps the edit without a shape (a remnant).
/// Remnants have a limit of their own besides.
struct MemoryUse: Hashable, Sendable {
  var places = 0
  var remnants = 0
  /// Deletions that a pending edit might outlive. Each is charged like a remnant, but is not refused for that.
  var mayOutlive = 0
  /// The index of the first operation that takes memory.
  var first: Int?
}

/// How much of a room's memory for deletions each address and each token has used lately.
struct MemoryShares: Sendable {
  private var places: ShareBook
  private var remnants: ShareBook

  init(limits: Limits) {
    places = ShareBook(most: limits.erasures, fadingIn: limits.erasureMilliseconds)
    remnants = ShareBook(most: limits.shapes, fadingIn: limits.erasureMilliseconds)
  }

  /// Refuses a message if its payer would then use more than the payer's share.
  func check(_ use: MemoryUse, for payer: Payer?, taken: MemoryUse, now: Moment) throws(Rejection) {
    guard let payer else { return }
    let words =
      places.refusal(of: use.places, for: payer, taken: taken.places, now: now)
      ?? remnants.refusal(of: use.remnants, for: payer, taken: taken.remnants, now: now)
    if let words { throw Rejection(operation: use.first, code: .quotaExceeded, message: words) }
  }

  mutating func charge(_ use: MemoryUse, to payer: Payer?, now: Moment) {
    guard let payer else { return }
    places.charge(use.places, to: payer, now: now)
    remnants.charge(use.remnants + use.mayOutlive, to: payer, now: now)
  }

  /// Gives back what a batch would have used, if the log hasn't stored it. Otherwise clients that try again and again
  /// during an outage would use up their shares with nothing.
  mutating func giveBack(_ use: MemoryUse, to payer: Payer?) {
    guard let payer else { return }
    places.giveBack(use.places, to: payer)
    remnants.giveBack(use.remnants + use.mayOutlive, to: payer)
  }

  /// Drops the entries that have decayed to nothing. To be called now and then.
  mutating func forgetFaded(now: Moment) {
    places.forgetFaded(now: now)
    remnants.forgetFaded(now: now)
  }
}

/// How many places of one memory each address and each token has used lately. The number decays as fast as the room can
/// forget deletions.
///
/// What always holds: after `forgetFaded`, an address or token that has used nothing lately has no entry. There are at
/// most `entriesMax` entries.
private struct ShareBook: Sendable {
  private enum Name: Hashable {
    case address(String)
    case token(Payer.Account)
  }

  private struct Taken {
    var places: Double
    var at: UInt64
  }

  /// How many places the memory has.
  private let most: UInt64
  private let milliseconds: UInt64
  private var entries: [Name: Taken] = [:]

  /// The upper bound on the entries. If there are more, the smallest are dropped.
  private static let entriesMax = 4_096
  /// The lower bound on a share, so that a single message always fits.
  private static let shareMin: UInt64 = 1_024

  init(most: UInt64, fadingIn milliseconds: UInt64) {
    self.most = most
    self.milliseconds = milliseconds
  }

  /// How many places one payer may use.
  private var share: Double { Double(max(most / 8, ShareBook.shareMin)) }

  /// Shares are enforced only while the memory is more than half full.
  /// - Returns: the reason to refuse the payer this many more places. `nil` if there is none.
  func refusal(of places: Int, for payer: Payer, taken: Int, now: Moment) -> Text? {
    guard places > 0, UInt64(clamping: taken + places) > most / 2 else { return nil }
    for name in ShareBook.names(of: payer) {
      let used = used(by: name, now: now)
      // While half is free, whoever has used nothing may bring more than a share at once: a whole drawing.
      guard used + Double(places) > share, used > 0 || UInt64(clamping: taken) > most / 2 else { continue }
      return ShareBook.words(for: name)
    }
    return nil
  }

  mutating func charge(_ places: Int, to payer: Payer, now: Moment) {
    guard places > 0 else { return }
    for name in ShareBook.names(of: payer) {
      entries[name] = Taken(places: used(by: name, now: now) + Double(places), at: now.monotonicMilliseconds)
    }
    guard entries.count > ShareBook.entriesMax else { return }
    let middle = entries.values.map { left(of: $0, now: now) }.sorted()[ShareBook.entriesMax / 2]
    entries = entries.filter { left(of: $0.value, now: now) > middle }
  }

  mutating func giveBack(_ places: Int, to payer: Payer) {
    guard places > 0 else { return }
    for name in ShareBook.names(of: payer) {
      if let entry = entries[name] { entries[name]?.places = max(0, entry.places - Double(places)) }
    }
  }

  mutating func forgetFaded(now: Moment) {
    guard !entries.isEmpty else { return }
    entries = entries.filter { left(of: $0.value, now: now) > 0 }
  }

  private func used(by name: Name, now: Moment) -> Double {
    entries[name].map { left(of: $0, now: now) } ?? 0
  }

  private func left(of entry: Taken, now: Moment) -> Double {
    let passed = now.monotonicMilliseconds - min(entry.at, now.monotonicMilliseconds)
    return max(0, entry.places - Double(passed) / Double(milliseconds) * share)
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
