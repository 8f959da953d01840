import CanvasCRDT

/// What the other nodes have to be told of this node's people in a room.
struct Company: Sendable {
  /// The number of this node's process.
  let number: UInt64
  private var due = Due()
  private var hasAsked = false
  /// Whether other nodes had people in the room when they were last told something.
  private var wasShared = false
  /// When presence was last told, on the monotonic clock.
  private var toldAt: UInt64 = 0
  /// For each actor whose session this node closed: the greater claim at another node. That claim might be greater only
  /// because the other node's clock is ahead. So if the actor comes back here, its new claim is made greater still.
  private var claims: [Identifier: Claim] = [:]

  init(number: UInt64) { self.number = number }

  /// What has gathered since the last message.
  struct Due: Sendable {
    fileprivate(set) var asks = false
    fileprivate(set) var isWhole = false
    fileprivate(set) var comparesDigests = false
    fileprivate(set) var came: Set<Identifier> = []
    fileprivate(set) var went: Set<Identifier> = []
    fileprivate(set) var shows: Set<Identifier> = []

    fileprivate var isPressing: Bool { asks || isWhole || comparesDigests || !came.isEmpty || !went.isEmpty }
  }

  /// How long presence is gathered before it is told.
  private static let gatherMilliseconds: UInt64 = 50

  // MARK: People here

  /// Somebody is connected here, or has to be told of again.
  mutating func came(_ actor: Identifier) {
    if !hasAsked { ask() }
    hasAsked = true
    due.went.remove(actor)
    due.came.insert(actor)
  }

  mutating func went(_ actor: Identifier) {
    due.came.remove(actor)
    due.shows.remove(actor)
    due.went.insert(actor)
  }

  mutating func shows(_ actor: Identifier) { due.shows.insert(actor) }

  /// The last of this node's people has left the room. The next one who comes is told anew who is at other nodes.
  mutating func isDeserted() { hasAsked = false }

  /// Asks the other nodes to send all of their people in the room.
  mutating func ask() { due.asks = true }

  /// Another node asks for all people in the room.
  mutating func isAsked() { due.isWhole = true }

  mutating func comparesDigests() { due.comparesDigests = true }

  /// - Parameter isShared: whether other nodes have people in the room. Only these nodes need to know what people show.
  /// - Returns: what is to be told now, and when more is to be told, if that is soon.
  mutating func takeDue(isShared: Bool, now: Moment) -> (due: Due?, next: UInt64?) {
    // Until now nobody needed to know what people here show.
    if isShared, !wasShared, hasAsked { due.isWhole = true }
    wasShared = isShared
    if !isShared {
      due.shows = []
      due.comparesDigests = false
    }
    let time = now.monotonicMilliseconds
    guard due.isPressing || !due.shows.isEmpty else { return (nil, nil) }
    guard due.isPressing || toldAt &+ Company.gatherMilliseconds <= time else {
      return (nil, toldAt &+ Company.gatherMilliseconds)
    }
    if !due.shows.isEmpty { toldAt = time }
    defer { due = Due() }
    return (due, nil)
  }

  // MARK: Other nodes

  /// A session was closed here because its actor joined at another node.
  mutating func sentAway(_ actor: Identifier, for claim: Claim) {
    if claims.count >= Company.claimsMax { claims = [:] }
    claims[actor] = claim
  }

  func claim(thatSentAway actor: Identifier) -> Claim? { claims[actor] }

  /// The upper bound on the number of remembered claims. It is seldom reached.
  private static let claimsMax = 256
}
