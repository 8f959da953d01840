import WebSocketLoop

/// The WebSocket connections that are open, each under a number that is reused once it is free.
///
/// What always holds: the counts by address add up to `count`. Each count is the number of visitors from that address.
struct Visitors {
  private let limits: Limits
  private var visitors: [Visitor?] = []
  private var free: [Int] = []
  private(set) var count = 0
  /// By `NetworkAddress.party`.
  private var ofParty: [String: UInt64] = [:]

  init(limits: Limits) { self.limits = limits }

  /// The visitor of a connection, by the number in the connection's tag.
  subscript(number: Int) -> Visitor? { visitors.indices.contains(number) ? visitors[number] : nil }

  var all: [Visitor] { visitors.compactMap(\.self) }

  /// Why there is no space for one more.
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
    let party = NetworkAddress.party(of: visitor.address)
    let left = ofParty[party, default: 1] - 1
    ofParty[party] = left > 0 ? left : nil
  }
}
