import WebSocketLoop

/// The open WebSocket connections. Each has a number, which is used again after the connection is closed.
///
/// A connection that was turned away stays open until its client has read why. It counts for its address all the same.
///
/// What always holds: the counts by address add up to `count` and the connections that were turned away. An address's
/// count is the number of its visitors and of its connections that were turned away.
struct Visitors {
  private let limits: Limits
  private var visitors: [Visitor?] = []
  private var free: [Int] = []
  private(set) var count = 0
  /// By `NetworkAddress.party`.
  private var ofParty: [String: UInt64] = [:]
  /// How many of these were turned away.
  private var turnedAwayOfParty: [String: UInt64] = [:]
  /// The most connections of one address that may be open after they were turned away.
  private static let turnedAwayMax: UInt64 = 32

  init(limits: Limits) { self.limits = limits }

  /// The visitor of a connection, by the number in the connection's tag.
  subscript(number: Int) -> Visitor? { visitors.indices.contains(number) ? visitors[number] : nil }

  var all: [Visitor] { visitors.compactMap(\.self) }

  /// Which limit leaves no space for another connection.
  enum Crowd {
    case server
    case address
  }

  func crowd(for address: String) -> Crowd? {
    if UInt64(count) >= limits.connections { return .server }
    return ofParty[NetworkAddress.party(of: address), default: 0] >= limits.connectionsPerAddress ? .address : nil
  }

  /// - Parameter make: is handed the visitor's number.
  mutating func add(_ make: (Int) -> Visitor) -> Int {
    let number = free.popLast() ?? visitors.count
    let visitor = make(number)
    if number == visitors.count { visitors.append(visitor) } else { visitors[number] = visitor }
    count += 1
    ofParty[NetworkAddress.party(of: visitor.address), default: 0] += 1
    return number
  }

  mutating func remove(_ number: Int) {
    guard let visitor = self[number] else { return }
    visitors[number] = nil
    free.append(number)
    count -= 1
    ofParty.countDown(NetworkAddress.party(of: visitor.address))
  }

  // MARK: Connections that were turned away

  /// Whether a party has too many connections that were turned away and are still open. If so, its next one is refused
  /// before it opens, even with a valid token, because tokens are checked once a connection is open (C3).
  func turnsAwayUnheard(_ party: String) -> Bool {
    turnedAwayOfParty[party, default: 0] >= Visitors.turnedAwayMax
  }

  mutating func turnedAway(_ party: String) {
    ofParty[party, default: 0] += 1
    turnedAwayOfParty[party, default: 0] += 1
  }

  /// A connection that was turned away is closed.
  mutating func forgetTurnedAway(_ party: String) {
    guard turnedAwayOfParty[party] != nil else { return }
    ofParty.countDown(party)
    turnedAwayOfParty.countDown(party)
  }
}

extension [String: UInt64] {
  fileprivate mutating func countDown(_ key: String) {
    let left = self[key, default: 1] - 1
    self[key] = left > 0 ? left : nil
  }
}
