/// How much each address and each token has had stored in a day, and how many rooms it has made.
///
/// A day's worth is forgotten in a day, evenly, so there is no moment at which everybody's quota begins anew. What was counted is
/// not kept over a restart.
///
/// What always holds: whoever has nothing counted takes no entry, and there are at most `entriesMax` entries of each kind.
struct DayQuotas {
  /// What a client may be told to wait for before it tries again.
  static let retryAfterSeconds = 60
  private static let dayMilliseconds = 86_400_000.0
  /// Beyond so many addresses, those that have had the least are forgotten.
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

  private let perAddress: Most
  private let perToken: Most
  private var addresses: [String: Used] = [:]
  private var tokens: [String: Used] = [:]

  init(limits: Limits) {
    perAddress = Most(bytes: Double(limits.dayBytesPerAddress), rooms: Double(limits.dayRoomsPerAddress))
    perToken = Most(bytes: Double(limits.dayBytesPerToken), rooms: Double(limits.dayRoomsPerToken))
  }

  /// Why nothing more is stored on this account now, in words. `nil` if more is.
  func refusal(of payer: Payer, isNewRoom: Bool, now: UInt64) -> String? {
    if let words = DayQuotas.refusal(addresses[payer.address], perAddress, isNewRoom, now) {
      return "your address has \(words) than it may in a day"
    }
    if let token = payer.token, let words = DayQuotas.refusal(tokens[token], perToken, isNewRoom, now) {
      return "your token has \(words) than it may in a day"
    }
    return nil
  }

  private static func refusal(_ used: Used?, _ most: Most, _ isNewRoom: Bool, _ now: UInt64) -> String? {
    guard var used else { return nil }
    used.fade(most, now: now)
    if used.bytes >= most.bytes { return "written more" }
    return isNewRoom && used.rooms + 1 > most.rooms ? "made more rooms" : nil
  }

  mutating func charge(_ payer: Payer, bytes: Int, rooms: Int, now: UInt64) {
    DayQuotas.charge(&addresses, payer.address, perAddress, bytes, rooms, now)
    if let token = payer.token { DayQuotas.charge(&tokens, token, perToken, bytes, rooms, now) }
  }

  private static func charge(
    _ all: inout [String: Used],
    _ name: String,
    _ most: Most,
    _ bytes: Int,
    _ rooms: Int,
    _ now: UInt64
  ) {
    var used = all[name] ?? Used(at: now)
    used.fade(most, now: now)
    used.bytes += Double(bytes)
    used.rooms += Double(rooms)
    all[name] = used
    guard all.count > entriesMax else { return }
    let least = all.values.map { $0.share(of: most) }.sorted()[entriesMax / 2]
    all = all.filter { $0.value.share(of: most) > least }
  }

  /// Drops those whose count has faded. To be called now and then.
  mutating func forgetFaded(now: UInt64) {
    DayQuotas.forgetFaded(&addresses, perAddress, now)
    DayQuotas.forgetFaded(&tokens, perToken, now)
  }

  private static func forgetFaded(_ all: inout [String: Used], _ most: Most, _ now: UInt64) {
    all = all.compactMapValues { used in
      var used = used
      used.fade(most, now: now)
      return used.bytes > 0 || used.rooms > 0 ? used : nil
    }
  }
}
