import CanvasCRDT

/// The other nodes that have a room open, and the messages to them.
///
/// What always holds:
/// - While no other node has the room open, this node sends only short messages: now and then that people are here, and
///   in the end that they have left.
/// - When a message arrives with a gap in the sequence numbers, the node asks the sender for what it missed, and sends
///   its own people again.
struct Company: Sendable {
  private struct Node: Sendable {
    var heardAt: UInt64 = 0
    var listener = NewsListener()
  }

  private var teller: NewsTeller
  private var nodes: [UInt64: Node] = [:]
  private var hasAsked = false
  private var asks = false
  private var isWhole = false
  private var came: Set<Identifier> = []
  private var went: Set<Identifier> = []
  private var shows: Set<Identifier> = []
  private var toldAt: UInt64 = 0
  /// For each actor whose session this node closed: the greater claim at another node. That claim might be greater only
  /// because the other node's clock is ahead. So if the actor comes back here, its new claim is made greater still.
  private var claims: [Identifier: Claim] = [:]

  /// - Parameter number: the number of this node's process.
  init(number: UInt64) { teller = NewsTeller(node: number) }

  /// The number of this node's process.
  var number: UInt64 { teller.node }

  /// A node that has sent no heartbeat for this long counts as gone, with its people.
  static let silentMilliseconds: UInt64 = 3_500
  /// The time between two heartbeats of a node, if it sends nothing else.
  private static let pulseMilliseconds: UInt64 = 1_000
  /// How often a node that knows of no other node asks for others. Other nodes may exist all the same, because messages
  /// between nodes can get lost.
  private static let aloneMilliseconds: UInt64 = 15_000
  /// How long presence is gathered before it is sent.
  private static let gatherMilliseconds: UInt64 = 50

  // MARK: People here

  mutating func came(_ actor: Identifier) {
    if !hasAsked {
      hasAsked = true
      asks = true
      isWhole = true
    }
    went.remove(actor)
    came.insert(actor)
  }

  mutating func went(_ actor: Identifier) {
    came.remove(actor)
    shows.remove(actor)
    went.insert(actor)
  }

  mutating func shows(_ actor: Identifier) { shows.insert(actor) }

  /// The last of this node's people has left the room.
  /// - Returns: the message for the other nodes.
  mutating func left() -> [UInt8] {
    // The message is sent even if this node knows of no other node, because other nodes might know of this one.
    let message = message(NodeNews(isWhole: true))
    let (teller, claims) = (teller, claims)
    self = Company(number: number)
    self.teller = teller
    self.claims = claims
    return message
  }

  /// A message to other nodes, as the log carries it.
  mutating func message(_ news: NodeNews) -> [UInt8] { teller.message(news.encoded()) }

  /// The messages about this node's people that are due now.
  /// - Returns: the message, and when another one is due, if that is soon.
  mutating func takeNews(
    now: Moment,
    person: (Identifier) -> NodeNews.Person?,
    all: () -> [NodeNews.Person]
  ) -> (news: NodeNews?, next: UInt64?) {
    let time = now.monotonicMilliseconds
    if nodes.isEmpty, !isWhole {
      forget()
      guard toldAt &+ Company.aloneMilliseconds <= time else { return (nil, nil) }
      asks = true
      isWhole = true
    }
    let isPressing = asks || isWhole || !came.isEmpty || !went.isEmpty
    guard isPressing || !shows.isEmpty else {
      return (toldAt &+ Company.pulseMilliseconds <= time ? pulse(time) : nil, nil)
    }
    guard isPressing || toldAt &+ Company.gatherMilliseconds <= time else {
      return (nil, toldAt &+ Company.gatherMilliseconds)
    }
    var news = NodeNews(asks: asks, isWhole: isWhole)
    if !isWhole { news.left = went.sorted() }
    for var one in isWhole ? all() : came.union(shows).sorted().compactMap(person) {
      let actor = one.peer.actor
      if let state = one.peer.state { news.states.append(PeerState(actor: actor, state: state)) }
      one.peer.state = nil
      if isWhole || came.contains(actor) { news.joined.append(one) }
    }
    forget()
    toldAt = time
    return (news, nil)
  }

  private mutating func pulse(_ time: UInt64) -> NodeNews {
    toldAt = time
    return NodeNews()
  }

  private mutating func forget() {
    asks = false
    isWhole = false
    came = []
    went = []
    shows = []
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

  /// Another node's message has arrived.
  /// - Returns: `nil` if another version of the server wrote it.
  mutating func heard(_ part: NewsPart, now: Moment) -> NodeNews? {
    if nodes[part.node] == nil { isWhole = true }
    nodes[part.node, default: Node()].heardAt = now.monotonicMilliseconds
    let isNext = nodes[part.node]?.listener.hear(part) ?? false
    guard let news = NodeNews(part.bytes) else { return nil }
    if !isNext { noteGap(asks: !news.isWhole) }
    if news.asks { isWhole = true }
    return news
  }

  /// A message of another node is missing. That message might have claimed an actor that is connected here. So this
  /// node also sends its own people again, and all nodes compare the claims.
  private mutating func noteGap(asks: Bool) {
    if asks { self.asks = true }
    isWhole = true
  }

  /// Removes the nodes that have been silent for too long.
  /// - Returns: their numbers.
  mutating func takeSilent(now: Moment) -> [UInt64] {
    let silent = nodes.filter { $0.value.heardAt &+ Company.silentMilliseconds <= now.monotonicMilliseconds }.keys
    for node in silent { nodes[node] = nil }
    return silent.sorted()
  }

  /// Asks the other nodes to send all of their people.
  mutating func ask() { asks = true }

  /// Asks the other nodes to send all of their people, and sends all people of this node to them.
  mutating func askAnew() {
    asks = true
    isWhole = true
  }
}
