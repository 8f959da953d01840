import CanvasCRDT

/// What this node knows of the other nodes: which people are connected to each. Also gathers what they are to be told of
/// the people at this node.
///
/// What always holds:
/// - A node sends a message at least once a second. A node that has been silent for `silentMilliseconds` is forgotten,
///   with its people.
/// - If a message of a node was missed, the node is asked for everyone once a second, until the answer has arrived. A
///   node tells everyone at most about once a second, however often it is asked.
/// - While no other node is known, the messages name nobody.
/// - A message tells what people show as far as `statesBytesMax` goes. The rest follows in the next seconds, as it is then,
///   once no node asks for everyone any more.
struct Neighbours: Sendable {
  private struct Node: Sendable {
    var heardAt: UInt64 = 0
    /// The number of the last message that was heard.
    var number: UInt64 = 0
    /// Whether `people` has all of the node's people. False if a message of the node was missed.
    var isKnown = false
    var people: [String: [Identifier: Person]] = [:]

    mutating func take(_ news: RoomNews) {
      if news.isWhole { people[news.room] = nil }
      for actor in news.left { people[news.room]?[actor] = nil }
      for person in news.joined { people[news.room, default: [:]][person.actor] = person }
      if people[news.room]?.isEmpty == true { people[news.room] = nil }
    }

    /// News that everyone at the node has left its rooms, except the rooms in `kept`.
    func leaving(but kept: Set<String> = []) -> [RoomNews] {
      people.keys.filter { !kept.contains($0) }.sorted().map { RoomNews(room: $0, isWhole: true) }
    }
  }

  /// The number of this node's process.
  private let number: UInt64
  /// How many messages have been sent.
  private var told: UInt64 = 0
  private var nodes: [UInt64: Node] = [:]
  /// What the rooms have to tell.
  private var news: [RoomNews] = []
  /// The people at other nodes whom an operator wants removed.
  private var unwanted: Set<PersonPlace> = []
  /// The people who have been named without what they show.
  private var untold: [PersonPlace] = []
  private var tellsAll = false
  /// When everyone was last told, on the monotonic clock.
  private var toldAllAt: UInt64?
  /// Whether a message is due, even without news.
  private var isDue = false

  init(number: UInt64) { self.number = number }

  /// A node that has sent nothing for this long counts as gone, with its people.
  static let silentMilliseconds: UInt64 = 3_500
  /// The shortest time between two messages that name everyone. It is a little less than the time between heartbeats.
  private static let wholeMilliseconds: UInt64 = 900

  /// More would keep the loop and the database busy for long, once a second as long as a node asks.
  static let statesBytesMax = 500_000

  // MARK: Telling

  mutating func add(_ news: RoomNews) { if !nodes.isEmpty { self.news.append(news) } }

  /// Remembers that another node has to be asked to remove somebody.
  mutating func wantsRemoved(_ place: PersonPlace) { unwanted.insert(place) }

  /// Messages of other nodes may be missing, and of this one.
  mutating func askAnew() {
    for node in nodes.keys { nodes[node]?.isKnown = false }
    tellsAll = true
    isDue = true
  }

  /// Whether the next message has to name everyone at this node.
  func tellsAll(now: Moment) -> Bool {
    tellsAll && !nodes.isEmpty
      && toldAllAt.map { $0 &+ Neighbours.wholeMilliseconds <= now.monotonicMilliseconds } ?? true
  }

  var hasNews: Bool { isDue || tellsAll || !news.isEmpty || !unwanted.isEmpty }

  /// The message for the other nodes, as the bus carries it. `nil` if nothing has to be told now.
  /// - Parameters:
  ///   - everyone: the people here, if `tellsAll` says that they have to be named.
  ///   - state: what somebody here shows now.
  mutating func takeMessage(
    everyone: [RoomNews]?,
    now: Moment,
    state: (PersonPlace) -> JSONText?
  ) -> [UInt8]? {
    guard isDue || everyone != nil || !news.isEmpty || !unwanted.isEmpty else { return nil }
    told += 1
    var rooms = rooms(everyone)
    let space = limitStates(of: &rooms)
    if isDue { rooms += takeUntold(within: space, state) }
    let message = NodeNews(
      node: number,
      number: told,
      asks: nodes.values.contains { !$0.isKnown },
      isWhole: everyone != nil,
      rooms: rooms,
      unwanted: unwanted.sorted { ($0.room, $0.actor) < ($1.room, $1.actor) }
    )
    if everyone != nil {
      tellsAll = false
      toldAllAt = now.monotonicMilliseconds
    }
    (isDue, news, unwanted) = (false, [], [])
    return message.encoded()
  }

  /// What the rooms have to tell. A room that `everyone` has is told only once.
  private func rooms(_ everyone: [RoomNews]?) -> [RoomNews] {
    guard var everyone else { return news }
    let places = Dictionary(uniqueKeysWithValues: everyone.indices.map { (everyone[$0].room, $0) })
    var others: [RoomNews] = []
    for news in news {
      if let place = places[news.room] {
        everyone[place].asks = everyone[place].asks || news.asks
        everyone[place].standing = news.standing ?? everyone[place].standing
      } else {
        others.append(news)
      }
    }
    return others + everyone
  }

  /// Leaves out what people show, as far as there is no space. Those who were left out before come first, because a node
  /// may ask for everyone again and again.
  /// - Returns: how many bytes are left.
  private mutating func limitStates(of rooms: inout [RoomNews]) -> Int {
    let ranks = Dictionary(zip(untold, untold.indices)) { first, _ in first }
    var states: [(rank: Int, room: Int, place: PersonPlace, state: PeerState)] = []
    for room in rooms.indices {
      for state in rooms[room].states {
        let place = PersonPlace(room: rooms[room].room, actor: state.actor)
        states.append((ranks[place] ?? untold.count + states.count, room, place, state))
      }
      rooms[room].states = []
    }
    let whole = Set(rooms.lazy.filter(\.isWhole).map(\.room))
    if !untold.isEmpty {
      let shown = Set(states.lazy.map(\.place))
      untold.removeAll { whole.contains($0.room) || shown.contains($0) }
    }
    var space = Neighbours.statesBytesMax
    for (_, room, place, state) in states.sorted(by: { $0.rank < $1.rank }) {
      space -= state.state.bytes.count
      if space >= 0 { rooms[room].states.append(state) } else { untold.append(place) }
    }
    return space
  }

  private mutating func takeUntold(within space: Int, _ state: (PersonPlace) -> JSONText?) -> [RoomNews] {
    var states: [String: [PeerState]] = [:]
    var bytes = 0
    let told = untold.prefix { place in
      guard bytes < space else { return false }
      guard let state = state(place) else { return true }
      bytes += state.bytes.count
      states[place.room, default: []].append(PeerState(actor: place.actor, state: state))
      return true
    }
    untold.removeFirst(told.count)
    return states.sorted { $0.key < $1.key }.map { RoomNews(room: $0.key, states: $0.value) }
  }

  // MARK: Hearing

  /// Takes in a message from another node.
  /// - Returns: what it says. `nil` if another version of the server wrote it.
  mutating func heard(_ bytes: [UInt8], now: Moment) -> NodeNews? {
    guard var message = NodeNews(bytes), message.node != number else { return nil }
    var node = nodes[message.node] ?? Node()
    if message.number != node.number &+ 1 { noteGap(in: &node) }
    if message.asks || nodes[message.node] == nil { tellsAll = true }
    if message.isWhole {
      message.rooms = node.leaving(but: Set(message.rooms.filter(\.isWhole).map(\.room))) + message.rooms
      node.isKnown = true
    }
    node.number = message.number
    node.heardAt = now.monotonicMilliseconds
    for news in message.rooms { node.take(news) }
    nodes[message.node] = node
    return message
  }

  /// A message of another node is missing. It might have claimed an actor that is connected here. So this node also
  /// sends its own people again, and all nodes compare the claims.
  private mutating func noteGap(in node: inout Node) {
    node.isKnown = false
    tellsAll = true
    isDue = true
  }

  /// Sees to the next message, and forgets nodes that have gone silent. To be called once a second.
  /// - Returns: for each of these nodes, the news that its people have left.
  mutating func beat(now: Moment) -> [(node: UInt64, rooms: [RoomNews])] {
    isDue = true
    let silent = nodes.filter {
      $0.value.heardAt &+ Neighbours.silentMilliseconds <= now.monotonicMilliseconds
    }
    for node in silent.keys { nodes[node] = nil }
    if !silent.isEmpty, nodes.isEmpty { untold = [] }
    return silent.sorted { $0.key < $1.key }.map { ($0.key, $0.value.leaving()) }
  }

  // MARK: Who is there

  /// The people in a room who are connected to other nodes.
  func people(in room: String) -> [Person] {
    var people: [Identifier: Person] = [:]
    for node in nodes.values { people.merge(node.people[room] ?? [:]) { $1 } }
    return people.values.sorted { $0.actor < $1.actor }
  }

  /// The role of an actor in a room at other nodes. `nil` if the actor is at none.
  func role(of actor: Identifier, in room: String) -> Role? {
    let roles = nodes.values.compactMap { $0.people[room]?[actor]?.role }
    return roles.contains(.editor) ? .editor : roles.first
  }

  func has(_ place: PersonPlace) -> Bool { nodes.values.contains { $0.people[place.room]?[place.actor] != nil } }

  func isShared(_ room: String) -> Bool { nodes.values.contains { $0.people[room] != nil } }

  func count(in room: String) -> Int { nodes.values.reduce(0) { $0 + ($1.people[room]?.count ?? 0) } }

  /// How many people other nodes have in each room.
  var counts: [String: Int] {
    var counts: [String: Int] = [:]
    for node in nodes.values { counts.merge(node.people.mapValues(\.count)) { $0 + $1 } }
    return counts
  }
}
