/// How much each address and each token has stored within a day, and how many rooms it has made.
///
/// Counts decay evenly over a day, rather than all at midnight. Counts are lost at a restart.
///
/// What always holds: an address or token whose count is 0 has no entry, and there are at most `entriesMax` entries of
/// each kind.
struct DayQuotas {
  /// The `Retry-After`, in seconds, that a client is sent when its quota is used up.
  static let retryAfterSeconds = 60
  private static let dayMilliseconds = 86_400_000.0
  /// The upper bound on the entries. If there are more, those with the smallest counts are dropped.
  private static let entriesMax = 100_000

  private struct Most {
    let bytes: Double
    let rooms: Double
  }

  private struct Used {
    var bytes = 0.0
    var rooms = 0.0
    var at: UInt64

    mutating func fade(_ most: Most, now: UInt64) {
      guard now > at else { return }
      let days = Double(now - at) / DayQuotas.dayMilliseconds
      bytes = max(0, bytes - days * most.bytes)
      rooms = max(0, rooms - days * most.rooms)
      at = now
    }

    func share(of most: Most) -> Double { max(bytes / most.bytes, rooms / most.rooms) }
  }

  /// The counts for addresses, or for the accounts of tokens.
  private struct Book<Name: Hashable & Sendable>: Sendable {
    let most: Most
    private var entries: [Name: Used] = [:]

    init(bytes: UInt64, rooms: UInt64) { most = Most(bytes: Double(bytes), rooms: Double(rooms)) }

    /// Why this address or account may store no more now, in words. `nil` if it may.
    func refusal(of name: Name, isNewRoom: Bool, now: UInt64) -> String? {
      guard var used = entries[name] else { return nil }
      used.fade(most, now: now)
      if used.bytes >= most.bytes { return "written more" }
      return isNewRoom && used.rooms + 1 > most.rooms ? "made more rooms" : nil
    }

    mutating func charge(_ name: Name, bytes: Int, rooms: Int, now: UInt64) {
      var used = entries[name] ?? Used(at: now)
      used.fade(most, now: now)
      used.bytes += Double(bytes)
      used.rooms += Double(rooms)
      entries[name] = used
      guard entries.count > entriesMax else { return }
      let least = entries.values.map { $0.share(of: most) }.sorted()[entriesMax / 2]
      entries = entries.filter { $0.value.share(of: most) > least }
    }

    mutating func forgetFaded(now: UInt64) {
      entries = entries.compactMapValues { used in
        var used = used
        used.fade(most, now: now)
        return used.bytes > 0 || used.rooms > 0 ? used : nil
      }
    }
  }

  private var addresses: Book<String>
  private var tokens: Book<Payer.Account>

  init(limits: Limits) {
    addresses = Book(bytes: limits.dayBytesPerAddress, rooms: limits.dayRoomsPerAddress)
    tokens = Book(bytes: limits.dayBytesPerToken, rooms: limits.dayRoomsPerToken)
  }

  /// Why this payer may store no more now, in words. `nil` if it may.
  func refusal(of payer: Payer, isNewRoom: Bool, now: UInt64) -> String? {
    if let words = addresses.refusal(of: payer.address, isNewRoom: isNewRoom, now: now) {
      return "your address has \(words) than it may in a day"
    }
    if let token = payer.token, let words = tokens.refusal(of: token, isNewRoom: isNewRoom, now: now) {
      return "your token has \(words) than it may in a day"
    }
    return nil
  }

  mutating func charge(_ payer: Payer, bytes: Int, rooms: Int, now: UInt64) {
    addresses.charge(payer.address, bytes: bytes, rooms: rooms, now: now)
    if let token = payer.token { tokens.charge(token, bytes: bytes, rooms: rooms, now: now) }
  }

  /// Drops the entries whose counts have decayed to 0. To be called now and then.
  mutating func forgetFaded(now: UInt64) {
    addresses.forgetFaded(now: now)
    tokens.forgetFaded(now: now)
  }
}
