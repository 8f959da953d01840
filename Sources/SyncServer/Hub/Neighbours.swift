import CanvasCRDT

/// The people at the other nodes that share the rooms, for the list of rooms and for operators. (Clients get them from
/// `Company` instead.)
///
/// What always holds:
/// - Once a second a node sends what has changed among its people. If a node missed such a message, it asks for
///   everyone once a second, until the answer has arrived.
/// - A node that has been silent for `Company.silentMilliseconds` is forgotten.
struct Neighbours: Sendable {
  private struct Node: Sendable {
    var heardAt: UInt64 = 0
    var listener = NewsListener()
    var people: [String: [Identifier: Person]] = [:]
    /// Whether `people` has all of the node's people. False if a message of the node was missed.
    var isKnown = false

    mutating func forget(_ place: PersonPlace) {
      people[place.room]?[place.actor] = nil
      if people[place.room]?.isEmpty == true { people[place.room] = nil }
    }
  }

  private var teller: NewsTeller
  private var nodes: [UInt64: Node] = [:]
  /// Who has come to or left which room since the last message to the other nodes.
  private var changed: Set<PersonPlace> = []
  /// The people at other nodes whom an operator wants removed.
  private var unwanted: Set<PersonPlace> = []
  private var tellsAll = false

  /// - Parameter number: the number of this server process.
  init(number: UInt64) { teller = NewsTeller(node: number) }

  // MARK: People here

  mutating func hasChanged(_ place: PersonPlace) { changed.insert(place) }

  /// Remembers that another node has to be asked to remove somebody.
  mutating func wantsRemoved(_ place: PersonPlace) { unwanted.insert(place) }

  /// The message for the other nodes about the people at this node. It is short if nothing has changed. It names nobody
  /// while no other node is known.
  /// - Parameters:
  ///   - person: gives the person behind an actor in a room of this node, if there is one.
  ///   - all: gives everyone at this node.
  mutating func takeNews(person: (PersonPlace) -> Person?, all: () -> [(PersonPlace, Person)]) -> [UInt8] {
    var news = NeighbourNews()
    news.asks = nodes.values.contains { !$0.isKnown }
    news.isWhole = tellsAll && !nodes.isEmpty
    if !nodes.isEmpty {
      news.rows += unwanted.sorted().map { .remove($0) }
      if tellsAll {
        news.rows += all().map { .here($0, $1) }
      } else {
        news.rows += changed.sorted().map { place in person(place).map { .here(place, $0) } ?? .gone(place) }
      }
    }
    tellsAll = false
    changed = []
    unwanted = []
    return teller.message(news.encoded())
  }

  // MARK: Other nodes

  /// Takes in a message from another node.
  /// - Returns: the people on this node whose connections have to be closed.
  mutating func heard(_ part: NewsPart, now: Moment) -> [PersonPlace] {
    guard part.node != teller.node else { return [] }
    if nodes[part.node] == nil { tellsAll = true }
    var node = nodes[part.node] ?? Node()
    defer { nodes[part.node] = node }
    node.heardAt = now.monotonicMilliseconds
    let isNext = node.listener.hear(part)
    // A message in the format of another server version is skipped. That is harmless, because only operators and the
    // list of rooms use these messages.
    guard let news = NeighbourNews(part.bytes) else { return [] }
    if news.asks { tellsAll = true }
    if !isNext { node.isKnown = false }
    if news.isWhole {
      node.isKnown = true
      node.people = [:]
    }
    var unwanted: [PersonPlace] = []
    for row in news.rows {
      switch row {
      case .here(let place, let person): node.people[place.room, default: [:]][place.actor] = person
      case .gone(let place): node.forget(place)
      case .remove(let place): unwanted.append(place)
      }
    }
    return unwanted
  }

  /// Forgets nodes that have gone silent. To be called once a second.
  mutating func forgetSilent(now: Moment) {
    nodes = nodes.filter { $0.value.heardAt + Company.silentMilliseconds > now.monotonicMilliseconds }
  }

  /// The people in a room who are connected to other nodes.
  func people(in room: String) -> [Person] {
    var people: [Identifier: Person] = [:]
    for node in nodes.values { people.merge(node.people[room] ?? [:]) { $1 } }
    return people.values.sorted { $0.actor < $1.actor }
  }

  func has(_ place: PersonPlace) -> Bool { nodes.values.contains { $0.people[place.room]?[place.actor] != nil } }

  func count(in room: String) -> Int { nodes.values.reduce(0) { $0 + ($1.people[room]?.count ?? 0) } }

  /// How many people other nodes have in each room.
  var counts: [String: Int] {
    var counts: [String: Int] = [:]
    for node in nodes.values { counts.merge(node.people.mapValues(\.count)) { $0 + $1 } }
    return counts
  }
}

/// Where a person is: which actor in which room.
struct PersonPlace: Hashable, Comparable, Sendable {
  let room: String
  let actor: Identifier

  init(_ room: String, _ actor: Identifier) {
    self.room = room
    self.actor = actor
  }

  static func < (left: PersonPlace, right: PersonPlace) -> Bool { (left.room, left.actor) < (right.room, right.actor) }
}
