import CanvasCRDT
import TestSupport
import Testing

@testable import SyncServer

@Suite("Who is at other nodes")
struct NeighboursTests {
  /// Nodes that tell each other about their members. Some messages can get lost.
  private struct Cluster {
    var nodes: [Neighbours]
    var people: [[PersonPlace: Person]]
    var milliseconds: UInt64 = 1_000_000
    var generator: SeededGenerator
    var lost = 0

    init(_ count: Int, seed: UInt64) {
      nodes = (0..<count).map { Neighbours(number: UInt64($0 + 1)) }
      people = Array(repeating: [:], count: count)
      generator = SeededGenerator(seed: seed)
    }

    var now: Moment { Moment(wallMilliseconds: milliseconds, monotonicMilliseconds: milliseconds) }

    mutating func enters(_ number: Int, room: String, at node: Int, name: String = "Ann") {
      let place = PersonPlace(room: room, actor: Identifier(packed: UInt64(number))!)
      let person = Person(
        peer: Peer(actor: place.actor, name: Text(name), color: Color(packed: 0x11_22_33)),
        role: number % 2 == 0 ? .editor : .viewer,
        arrival: UInt64(number),
        origin: Person.Origin(token: number % 3 == 0 ? nil : "token \(number)", address: "127.0.0.\(node)")
      )
      people[node][place] = person
      nodes[node].add(RoomNews(room: room, joined: [person]))
    }

    mutating func leaves(_ place: PersonPlace, at node: Int) {
      people[node][place] = nil
      nodes[node].add(RoomNews(room: place.room, left: [place.actor]))
    }

    /// What a node tells the others now, if anything.
    mutating func message(of node: Int) -> [UInt8]? {
      var everyone: [RoomNews]?
      if nodes[node].tellsAll(now: now) {
        everyone = Dictionary(grouping: people[node], by: \.key.room).map {
          RoomNews(room: $0.key, isWhole: true, joined: $0.value.map(\.value))
        }
      }
      return nodes[node].takeMessage(everyone: everyone, now: now) { _ in nil }
    }

    /// - Returns: for each node, the people that it has to remove.
    @discardableResult
    mutating func second(losing percent: Int = 0) -> [[PersonPlace]] {
      milliseconds += 1_000
      var unwanted: [[PersonPlace]] = Array(repeating: [], count: nodes.count)
      for teller in nodes.indices {
        _ = nodes[teller].beat(now: now)
        guard let message = message(of: teller) else { continue }
        for listener in nodes.indices where listener != teller {
          guard Int.random(in: 0..<100, using: &generator) >= percent else {
            lost += 1
            continue
          }
          let heard = nodes[listener].heard(message, now: now)
          #expect(heard != nil)
          unwanted[listener] += heard?.unwanted ?? []
        }
      }
      return unwanted
    }

    func expectAgreement(sourceLocation: SourceLocation = #_sourceLocation) {
      for node in nodes.indices {
        var elsewhere: [PersonPlace: Person] = [:]
        for other in nodes.indices where other != node { elsewhere.merge(people[other]) { $1 } }
        let rooms = Set(elsewhere.keys.map(\.room))
        for room in rooms {
          let expected = elsewhere.filter { $0.key.room == room }.values.sorted { $0.actor < $1.actor }
          #expect(nodes[node].people(in: room) == expected, sourceLocation: sourceLocation)
          #expect(nodes[node].count(in: room) == expected.count, sourceLocation: sourceLocation)
        }
        #expect(Set(nodes[node].counts.keys) == rooms, sourceLocation: sourceLocation)
      }
    }
  }

  @Test("whatever gets lost, all nodes know who is where some seconds later", arguments: 0..<40 as Range<UInt64>)
  func agreement(seed: UInt64) {
    var cluster = Cluster(3, seed: seed)
    for second in 0..<60 {
      for _ in 0..<Int.random(in: 0...30, using: &cluster.generator) {
        let node = Int.random(in: 0..<3, using: &cluster.generator)
        if Bool.random(using: &cluster.generator),
          let place = cluster.people[node].keys.min(by: { ($0.room, $0.actor) < ($1.room, $1.actor) })
        {
          cluster.leaves(place, at: node)
        } else {
          // Each node uses different numbers, so that no actor is at two nodes.
          let number = Int.random(in: 0..<2_000, using: &cluster.generator) * 3 + node
          cluster.enters(
            number,
            room: "room-\(number % 7)",
            at: node,
            name: String(repeating: "ö", count: number % 60 + 1)
          )
        }
      }
      cluster.second(losing: second < 56 ? 20 : 0)
    }
    cluster.expectAgreement()
    #expect(cluster.lost > 20)
  }

  @Test("nothing is told of people as long as no other node is known, and all of them to one that comes")
  func alone() throws {
    var cluster = Cluster(1, seed: 1)
    for number in 0..<500 { cluster.enters(number, room: "garden", at: 0) }
    for _ in 0..<3 {
      _ = cluster.nodes[0].beat(now: cluster.now)
      let news = try #require(cluster.message(of: 0).flatMap { NodeNews($0) })
      #expect(news.rooms.isEmpty)
    }
    cluster.nodes.append(Neighbours(number: 2))
    cluster.people.append([:])
    cluster.second()
    cluster.second()
    cluster.expectAgreement()
    #expect(cluster.nodes[1].count(in: "garden") == 500)
  }

  @Test("what people show is told in several seconds if it is much, as it is then", arguments: [100, 200, 300])
  func presence(count: Int) throws {
    var neighbours = Neighbours(number: 1)
    func state(_ letter: String) -> JSONText {
      JSONText("{\"x\":\"\(String(repeating: letter, count: 4_000))\"}")
    }
    let states = (1...count).map { PeerState(actor: Identifier(packed: UInt64($0))!, state: state("x")) }
    let now = Moment(wallMilliseconds: 1, monotonicMilliseconds: 1)
    let gone = states[count - 1].actor
    func told(_ everyone: [RoomNews]?) throws -> [PeerState] {
      _ = neighbours.beat(now: now)
      let bytes = neighbours.takeMessage(everyone: everyone, now: now) { $0.actor == gone ? nil : state("y") }
      let news = try #require(bytes.flatMap { NodeNews($0) })
      let rooms = news.rooms
      #expect(rooms.allSatisfy { $0.room == "garden" && $0.isWhole == (everyone != nil) })
      let states = rooms.flatMap(\.states)
      #expect(states.reduce(0) { $0 + $1.state.bytes.count } <= Neighbours.statesBytesMax + state("y").bytes.count)
      return states
    }
    let garden = RoomNews(room: "garden", isWhole: true, states: states)
    var all = try told([garden])
    let first = all.count
    #expect(all == Array(states.prefix(first)) && (first == count) == (count == 100))
    for _ in 0..<3 { all += try told(nil) }
    #expect(all.map(\.actor) == states.map(\.actor).filter { first == count || $0 != gone })
    #expect(all.dropFirst(first).allSatisfy { $0.state == state("y") })
    // Another node asks for everyone again and again.
    var shown: Set<Identifier> = []
    for _ in 0..<3 { shown.formUnion(try told([garden]).map(\.actor)) }
    #expect(shown == Set(states.map(\.actor)))
  }

  @Test("what very many people show at once is told in several seconds, the newest of each once")
  func muchPresence() throws {
    var neighbours = Neighbours(number: 1)
    let now = Moment(wallMilliseconds: 1, monotonicMilliseconds: 1)
    #expect(neighbours.heard(NodeNews(node: 2, number: 1).encoded(), now: now) != nil)
    let state = JSONText("{\"x\":\"\(String(repeating: "x", count: 4_000))\"}")
    let states = (1...300).map { PeerState(actor: Identifier(packed: UInt64($0))!, state: state) }
    neighbours.add(RoomNews(room: "garden", states: states))
    var told: [Identifier] = []
    for round in 0..<4 {
      // Somebody who hasn't been told yet shows something else.
      if round == 1 { neighbours.add(RoomNews(room: "garden", states: [states[299]])) }
      _ = neighbours.beat(now: now)
      let bytes = neighbours.takeMessage(everyone: nil, now: now) { _ in state }
      let shown = try #require(bytes.flatMap { NodeNews($0) }).rooms.flatMap(\.states)
      #expect(shown.reduce(0) { $0 + $1.state.bytes.count } <= Neighbours.statesBytesMax + state.bytes.count)
      told += shown.map(\.actor)
    }
    #expect(told.count == 300 && Set(told) == Set(states.map(\.actor)))
  }

  @Test("a room is told whole once in a message that names everyone, and still asks")
  func onceWhole() throws {
    var neighbours = Neighbours(number: 1)
    let now = Moment(wallMilliseconds: 1, monotonicMilliseconds: 1)
    #expect(neighbours.heard(NodeNews(node: 2, number: 1).encoded(), now: now) != nil)
    neighbours.add(RoomNews(room: "garden", asks: true, isWhole: true))
    neighbours.add(RoomNews(room: "house", left: [Identifier(packed: 7)!]))
    let told = neighbours.takeMessage(everyone: [RoomNews(room: "garden", isWhole: true)], now: now) { _ in nil }
    let rooms = try #require(told.flatMap { NodeNews($0) }).rooms
    #expect(rooms.map(\.room) == ["house", "garden"] && rooms.map(\.asks) == [false, true])
  }

  @Test("a node that goes silent takes its people with it, and brings them when it is back")
  func silence() {
    var cluster = Cluster(2, seed: 2)
    cluster.enters(7, room: "garden", at: 0)
    for _ in 0..<3 { cluster.second() }
    #expect(cluster.nodes[1].count(in: "garden") == 1)
    for _ in 0..<4 { cluster.second(losing: 100) }
    #expect(cluster.nodes[1].people(in: "garden").isEmpty)
    for _ in 0..<2 { cluster.second() }
    cluster.expectAgreement()
  }

  @Test("whom an operator wants removed, the other nodes are asked to")
  func removal() throws {
    var cluster = Cluster(3, seed: 3)
    cluster.enters(7, room: "garden", at: 1)
    for _ in 0..<3 { cluster.second() }
    let place = try #require(cluster.people[1].keys.first)
    #expect(cluster.nodes[0].has(place) && !cluster.nodes[1].has(place))
    cluster.nodes[0].wantsRemoved(place)
    #expect(cluster.second() == [[], [place], [place]])
    #expect(cluster.second() == [[], [], []], "asked once")
  }

  @Test("however often a node is asked for everyone, it names them once a second")
  func askedOften() throws {
    var cluster = Cluster(2, seed: 5)
    cluster.enters(7, room: "garden", at: 0)
    for _ in 0..<3 { cluster.second() }
    var told = 0
    for number in 0..<40 {
      cluster.milliseconds += 100
      let asking = NodeNews(node: 99, number: UInt64(number + 1), asks: true).encoded()
      #expect(cluster.nodes[0].heard(asking, now: cluster.now) != nil)
      if let news = cluster.message(of: 0).flatMap({ NodeNews($0) }), news.isWhole { told += 1 }
    }
    #expect(told == 4 || told == 5)
  }

  @Test("news are read as they were written, and not at all if another version or a fault wrote them")
  func unreadable() throws {
    let ann = Identifier(packed: 5)!
    let state = try Array("{\"x\":1}".utf8).withUnsafeBytes { try JSONText(validating: $0, maximumBytes: 99) }
    let person = Person(
      peer: Peer(actor: ann, name: "Änn", color: Color(packed: 0x11_22_33)),
      role: .viewer,
      arrival: 1 << 40,
      origin: Person.Origin(token: "token", address: "::1")
    )
    let room = RoomNews(
      room: "garden",
      asks: true,
      left: [Identifier(packed: 6)!],
      joined: [person],
      states: [PeerState(actor: ann, state: state)],
      standing: RoomNews.Standing(cursor: Cursor("a.7"), digest: .max)
    )
    let news = NodeNews(
      node: .max,
      number: 300,
      isWhole: true,
      rooms: [room, RoomNews(room: "b", isWhole: true)],
      unwanted: [PersonPlace(room: "c", actor: ann)]
    )
    let bytes = news.encoded()
    #expect(NodeNews(bytes) == news)
    for length in 0..<bytes.count { #expect(NodeNews(Array(bytes.prefix(length))) == nil) }
    #expect(NodeNews(bytes + [9]) == nil)
    #expect(NodeNews([2] + bytes.dropFirst()) == nil)
    var generator = SeededGenerator(seed: 6)
    for _ in 0..<2_000 {
      var other = bytes
      other[Int.random(in: other.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      _ = NodeNews(other)
    }
  }
}
