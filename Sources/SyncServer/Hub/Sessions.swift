import Basics
import WebSocketLoop

/// The open WebSocket connections, each with a number. A later connection gets the number of a closed one.
///
/// A connection that was turned away stays open until its client has read why. Until then it counts among the
/// connections of its address, but not in `count`.
///
/// What always holds: an address's count is the number of its sessions and of its connections that were turned away.
struct Sessions {
  private let limits: Limits
  private var sessions: [Session?] = []
  private var free: [Int] = []
  private(set) var count = 0
  /// The upper bound on `count`.
  private(set) var countMax: UInt64
  /// How many connections each address has, counted by `NetworkAddress.party`.
  private var ofParty: [String: UInt64] = [:]
  /// For each address, how many of its connections were turned away and are still open.
  private var turnedAwayOfParty: [String: UInt64] = [:]
  /// The upper bound on the connections of one address that are still open after they were turned away.
  private static let turnedAwayMax: UInt64 = 32

  init(limits: Limits) {
    self.limits = limits
    countMax = limits.connections
  }

  /// If the system allows fewer connections than the limits do, WebSockets leave a part of them to HTTP: as many as its
  /// own limit, but at most a fifth of all.
  /// - Parameter connectionsMax: how many connections the server accepts in all.
  mutating func fit(into connectionsMax: Int) {
    let all = UInt64(connectionsMax)
    countMax = min(limits.connections, max(1, all - min(limits.httpConnections, all / 5)))
  }

  /// The session of a connection, by the number in the connection's tag.
  subscript(number: Int) -> Session? { sessions.indices.contains(number) ? sessions[number] : nil }

  var all: [Session] { sessions.compactMap(\.self) }

  /// Which limit is reached, so that another connection can't be accepted.
  enum Crowd {
    case server
    case address
  }

  func crowd(for address: String) -> Crowd? {
    if UInt64(count) >= countMax { return .server }
    return ofParty[NetworkAddress.party(of: address), default: 0] >= limits.connectionsPerAddress ? .address : nil
  }

  /// - Parameter make: a function that makes the session, given the session's number.
  mutating func add(_ make: (Int) -> Session) -> Int {
    let number = free.popLast() ?? sessions.count
    let session = make(number)
    if number == sessions.count { sessions.append(session) } else { sessions[number] = session }
    count += 1
    ofParty[NetworkAddress.party(of: session.address), default: 0] += 1
    return number
  }

  mutating func remove(_ number: Int) {
    guard let session = self[number] else { return }
    sessions[number] = nil
    free.append(number)
    count -= 1
    ofParty.countDown(NetworkAddress.party(of: session.address))
  }

  // MARK: Connections that were turned away

  /// Whether a client's address has too many connections that were turned away and are still open. Its next connection
  /// is refused before the WebSocket opens. That happens even with a valid token, because tokens are only checked on an
  /// open WebSocket.
  func turnsAwayUnheard(_ party: String) -> Bool {
    turnedAwayOfParty[party, default: 0] >= Sessions.turnedAwayMax
  }

  mutating func turnedAway(_ party: String) {
    ofParty[party, default: 0] += 1
    turnedAwayOfParty[party, default: 0] += 1
  }

  /// To be called when a connection that was turned away has been closed.
  mutating func forgetTurnedAway(_ party: String) {
    guard turnedAwayOfParty[party] != nil else { return }
    ofParty.countDown(party)
    turnedAwayOfParty.countDown(party)
  }
}
