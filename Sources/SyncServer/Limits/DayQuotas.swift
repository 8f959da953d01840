/// How much each address and each token has stored within a day, and how many rooms it has made.
///
/// Counts decay evenly over a day, rather than all at midnight. Counts are lost at a restart.
///
/// What always holds: there are at most `entriesMax` entries of each kind. All work on entries is bounded, because
/// everyone waits for it.
struct DayQuotas {
  /// The `Retry-After`, in seconds, that a client is sent when its quota is used up.
  static let retryAfterSeconds = 60
  private static let dayMilliseconds = 86_400_000.0
  /// The upper bound on the entries. When it is reached, each new entry replaces one with a small count.
  static let entriesMax = 100_000
  /// How many entries are looked at in each second, to drop those whose counts have decayed to 0.
  static let lookedAtOnce = 256
  /// To make space, this many entries are compared, and the one with the smallest count is dropped.
  private static let comparedAtOnce = 8

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
    /// The names of all entries, in the order in which they are looked at.
    private var names: [Name] = []
    /// The place in `names` of the next name to look at.
    private var next = 0

    var count: Int { names.count }

    init(bytes: UInt64, rooms: UInt64) { most = Most(bytes: Double(bytes), rooms: Double(rooms)) }

    /// Why this address or account may store no more now, in words. `nil` if it may.
    func refusal(of name: Name, isNewRoom: Bool, now: UInt64) -> String? {
      guard var used = entries[name] else { return nil }
      used.fade(most, now: now)
      if used.bytes >= most.bytes { return "written more" }
      return isNewRoom && used.rooms + 1 > most.rooms ? "made more rooms" : nil
    }

    mutating func charge(_ name: Name, bytes: Int, rooms: Int, now: UInt64) {
      if entries[name] == nil {
        // What is given back was forgotten meanwhile.
        guard bytes > 0 || rooms > 0 else { return }
        if names.count >= entriesMax { dropOne(now: now) }
        names.append(name)
      }
      var used = faded(name, now: now)
      used.bytes = max(0, used.bytes + Double(bytes))
      used.rooms = max(0, used.rooms + Double(rooms))
      entries[name] = used
    }

    private func faded(_ name: Name, now: UInt64) -> Used {
      var used = entries[name] ?? Used(at: now)
      used.fade(most, now: now)
      return used
    }

    /// Compares a few entries, and drops the one with the smallest count. The next call compares the entries that
    /// follow.
    private mutating func dropOne(now: UInt64) {
      let places = (0..<comparedAtOnce).map { (next + $0) % names.count }
      let shares = places.map { faded(names[$0], now: now).share(of: most) }
      guard let least = zip(places, shares).min(by: { $0.1 < $1.1 })?.0 else { return }
      next = (next + comparedAtOnce) % names.count
      drop(at: least)
    }

    private mutating func drop(at place: Int) {
      entries[names[place]] = nil
      names.swapAt(place, names.count - 1)
      names.removeLast()
    }

    mutating func forgetFaded(now: UInt64) {
      for _ in 0..<min(lookedAtOnce, names.count) {
        if next >= names.count { next = 0 }
        let used = faded(names[next], now: now)
        if used.bytes > 0 || used.rooms > 0 { next += 1 } else { drop(at: next) }
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

  /// - Parameters:
  ///   - bytes: how much is stored. Negative if as much was charged before and was not stored.
  ///   - rooms: how many rooms are made, or negative in the same way.
  mutating func charge(_ payer: Payer, bytes: Int, rooms: Int, now: UInt64) {
    addresses.charge(payer.address, bytes: bytes, rooms: rooms, now: now)
    if let token = payer.token { tokens.charge(token, bytes: bytes, rooms: rooms, now: now) }
  }

  /// How many addresses and tokens have entries.
  var entryCount: Int { addresses.count + tokens.count }

  /// Drops some of the entries whose counts have decayed to 0. To be called every second.
  mutating func forgetFaded(now: UInt64) {
    addresses.forgetFaded(now: now)
    tokens.forgetFaded(now: now)
  }
}
