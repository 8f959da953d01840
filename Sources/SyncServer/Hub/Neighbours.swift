import CanvasCRDT

/// Who is connected to which of the nodes that share the rooms: for the list of rooms, and for operators. What people in one
/// room see of those at other nodes is told room by room, and is `Company`.
///
/// What always holds:
/// - Once a second a node tells what has changed of its people, in parts with rising numbers. Whoever has missed one asks
///   for all of them, every second until they have come.
/// - Of a node that has not been heard of within `Company.silentMilliseconds`, nobody is known.
struct Neighbours: Sendable {
  private struct Node: Sendable {
    var heardAt: UInt64
    var heardNumber: UInt64
    var people: [String: [Identifier: Person]] = [:]
    /// Whether all that it has told has arrived.
    var isKnown = false
    /// While it tells of all: who has not been told of yet. At the end they are gone.
    var unconfirmed: Set<PersonPlace>?

    mutating func forget(_ place: PersonPlace) {
      people[place.room]?[place.actor] = nil
      if people[place.room]?.isEmpty == true { people[place.room] = nil }
    }
  }

  /// The number of this node's run.
  let number: UInt64
  private var nodes: [UInt64: Node] = [:]
  /// Whose coming or going is to be told.
  private var changed: Set<PersonPlace> = []
  /// Whom an operator wants removed.
  private var unwanted: Set<PersonPlace> = []
  private var tellsAll = false
  /// How many parts were told.
  private var told: UInt64 = 0

  init(number: UInt64) { self.number = number }

  // MARK: People here

  mutating func hasChanged(_ place: PersonPlace) { changed.insert(place) }

  /// Another node is to remove somebody.
  mutating func wantsRemoved(_ place: PersonPlace) { unwanted.insert(place) }

  /// What the other nodes are to be told now. That is little where nothing has changed, and nothing of people as long as no other
  /// node is known.
  /// - Parameters:
  ///   - person: who is at a place of this node, if anybody.
  ///   - all: everyone at this node.
  mutating func takeNews(person: (PersonPlace) -> Person?, all: () -> [(PersonPlace, Person)]) -> [[UInt8]] {
    var rows: [NeighbourNews.Row] = []
    if !nodes.isEmpty {
      rows += tellsAll ? [.allFollow] : []
      rows += unwanted.sorted().map { .remove($0) }
      if tellsAll {
        rows += all().map { .here($0, $1) } + [.allTold]
      } else {
        rows += changed.sorted().map { place in person(place).map { .here(place, $0) } ?? .gone(place) }
      }
    }
    let asks = nodes.values.contains { !$0.isKnown }
    let parts = NeighbourNews.parts(of: rows, from: number, after: told, asks: asks)
    told += UInt64(parts.count)
    tellsAll = false
    changed = []
    unwanted = []
    return parts
  }

  // MARK: People elsewhere

  /// Another node has told something.
  /// - Returns: whom this node is to remove.
  mutating func heard(_ news: NeighbourNews, now: Moment) -> [PersonPlace] {
    guard news.node != number else { return [] }
    var node = nodes[news.node] ?? Node(heardAt: 0, heardNumber: 0)
    if nodes[news.node] == nil || news.asks { tellsAll = true }
    if node.heardNumber + 1 != news.number {
      node.isKnown = false
      node.unconfirmed = nil
    }
    node.heardAt = now.monotonicMilliseconds
    node.heardNumber = news.number
    var unwanted: [PersonPlace] = []
    for row in news.rows {
      switch row {
      case .allFollow:
        node.unconfirmed = Set(node.people.flatMap { room, people in people.keys.map { PersonPlace(room, $0) } })
      case .here(let place, let person):
        node.people[place.room, default: [:]][place.actor] = person
        node.unconfirmed?.remove(place)
      case .gone(let place): node.forget(place)
      case .allTold:
        guard let unconfirmed = node.unconfirmed else { continue }
        for place in unconfirmed { node.forget(place) }
        node.unconfirmed = nil
        node.isKnown = true
      case .remove(let place): unwanted.append(place)
      }
    }
    nodes[news.node] = node
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

/// Somebody in a room.
struct PersonPlace: Hashable, Comparable, Sendable {
  let room: String
  let actor: Identifier

  init(_ room: String, _ actor: Identifier) {
    self.room = room
    self.actor = actor
  }

  static func < (left: PersonPlace, right: PersonPlace) -> Bool { (left.room, left.actor) < (right.room, right.actor) }
}
