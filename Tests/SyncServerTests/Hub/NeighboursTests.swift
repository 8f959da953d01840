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
      let place = PersonPlace(room, Identifier(packed: UInt64(number))!)
      people[node][place] = Person(
        actor: place.actor,
        name: Text(name),
        color: Color(packed: 0x11_22_33),
        role: number % 2 == 0 ? .editor : .viewer,
        token: number % 3 == 0 ? nil : "token \(number)",
        address: "127.0.0.\(node)"
      )
      nodes[node].hasChanged(place)
    }

    mutating func leaves(_ place: PersonPlace, at node: Int) {
      people[node][place] = nil
      nodes[node].hasChanged(place)
    }

    /// - Returns: for each node, the people that it has to remove.
    @discardableResult
    mutating func second(losing percent: Int = 0) -> [[PersonPlace]] {
      milliseconds += 1_000
      var unwanted: [[PersonPlace]] = Array(repeating: [], count: nodes.count)
      for teller in nodes.indices {
        nodes[teller].forgetSilent(now: now)
        let here = people[teller]
        let message = nodes[teller].takeNews(person: { here[$0] }, all: { here.map { ($0.key, $0.value) } })
        for listener in nodes.indices where listener != teller {
          guard Int.random(in: 0..<100, using: &generator) >= percent else {
            lost += 1
            continue
          }
          let part = NewsPart(message)
          #expect(part != nil)
          if let part { unwanted[listener] += nodes[listener].heard(part, now: now) }
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
        if Bool.random(using: &cluster.generator), let place = cluster.people[node].keys.sorted().first {
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
      let part = try #require(NewsPart(cluster.nodes[0].takeNews(person: { _ in nil }, all: { [] })))
      #expect(try #require(NeighbourNews(part.bytes)).rows.isEmpty)
    }
    cluster.nodes.append(Neighbours(number: 2))
    cluster.people.append([:])
    cluster.second()
    cluster.second()
    cluster.expectAgreement()
    #expect(cluster.nodes[1].count(in: "garden") == 500)
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

  @Test("news from another version is skipped")
  func unreadable() throws {
    var news = NeighbourNews()
    news.rows = [.gone(PersonPlace("a", Identifier(packed: 5)!))]
    let bytes = news.encoded()
    #expect(NeighbourNews(bytes)?.rows == news.rows)
    for length in 0..<bytes.count {
      // No truncated message can be read, except for the first byte. It is a valid message without rows.
      #expect(NeighbourNews(Array(bytes.prefix(length))) == nil || length == 1)
    }
    #expect(NeighbourNews(bytes + [9]) == nil)
    var teller = NewsTeller(node: 7)
    let message = teller.message(bytes)
    #expect(NewsPart(message)?.bytes == bytes)
    #expect(NewsPart([3] + message.dropFirst()) == nil)
    for length in 0..<17 { #expect(NewsPart(Array(message.prefix(length))) == nil) }
  }
}
