import CanvasCRDT

/// Who is connected to which of the nodes that share the rooms: for the list of rooms, and for operators. What people in one
/// room see of those at other nodes is told room by room, and is `Company`. Also which form of records all nodes read.
///
/// What always holds:
/// - Once a second a node tells what has changed of its people. A node that missed some of it asks for everything, once
///   a second until it has arrived.
/// - Of a node that has not been heard of within `Company.silentMilliseconds`, nothing is known.
struct Neighbours: Sendable {
  private struct Node: Sendable {
    var heardAt: UInt64 = 0
    var listener = NewsListener()
    var people: [String: [Identifier: Person]] = [:]
    /// Whether all that it has told has arrived.
    var isKnown = false
    var recordForm = RecordForm.oldestShared.rawValue

    mutating func forget(_ place: PersonPlace) {
      people[place.room]?[place.actor] = nil
      if people[place.room]?.isEmpty == true { people[place.room] = nil }
    }
  }

  private var teller: NewsTeller
  private var nodes: [UInt64: Node] = [:]
  /// The places whose joins and leaves are not told yet.
  private var changed: Set<PersonPlace> = []
  /// Whom an operator wants removed.
  private var unwanted: Set<PersonPlace> = []
  private var tellsAll = false
  private let recordFormHere: RecordForm
  /// Since when other nodes have been listened to, on the monotonic clock.
  private var listensSince: UInt64?

  /// - Parameters:
  ///   - number: of this node's run.
  ///   - recordForm: the newest that this node is to see written.
  init(number: UInt64, recordForm: RecordForm = .newest) {
    teller = NewsTeller(node: number)
    recordFormHere = recordForm
  }

  // MARK: People here

  mutating func hasChanged(_ place: PersonPlace) { changed.insert(place) }

  /// Another node is to remove somebody.
  mutating func wantsRemoved(_ place: PersonPlace) { unwanted.insert(place) }

  /// News for the other nodes. It is short if nothing has changed, and has no people in it while no other node is
  /// known.
  /// - Parameters:
  ///   - person: who is at a place of this node, if anybody.
  ///   - all: everyone at this node.
  mutating func takeNews(person: (PersonPlace) -> Person?, all: () -> [(PersonPlace, Person)]) -> [[UInt8]] {
    var news = NeighbourNews(recordForm: recordFormHere.rawValue)
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
    return teller.parts(of: news.encoded())
  }

  // MARK: Other nodes

  /// Another node has told something.
  /// - Returns: whom this node is to remove.
  mutating func heard(_ part: NewsPart, now: Moment) -> [PersonPlace] {
    guard part.node != teller.node else { return [] }
    if nodes[part.node] == nil { tellsAll = true }
    var node = nodes[part.node] ?? Node()
    defer { nodes[part.node] = node }
    node.heardAt = now.monotonicMilliseconds
    switch node.listener.hear(part) {
    case .begun: return []
    case .cut:
      node.isKnown = false
      return []
    case .news(let bytes, let isNext):
      // News of another version are passed over. They are for operators only.
      guard let news = NeighbourNews(bytes) else { return [] }
      if news.asks { tellsAll = true }
      if !isNext { node.isKnown = false }
      if news.isWhole {
        node.isKnown = true
        node.people = [:]
      }
      node.recordForm = news.recordForm
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
  }

  /// Forgets nodes that have gone silent. To be called once a second.
  mutating func forgetSilent(now: Moment) {
    if listensSince == nil { listensSince = now.monotonicMilliseconds }
    nodes = nodes.filter { $0.value.heardAt + Company.silentMilliseconds > now.monotonicMilliseconds }
  }

  /// The newest form of records that every node reads. `nil` while this node may not have heard of all others yet.
  func recordForm(now: Moment) -> RecordForm? {
    guard let listensSince, listensSince + Company.silentMilliseconds <= now.monotonicMilliseconds else { return nil }
    // A newer server may read forms that are not known here.
    let others = nodes.values.map(\.recordForm).min().flatMap(RecordForm.init) ?? .newest
    return min(recordFormHere, others)
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
