import CanvasCRDT
import TestSupport
import Testing

@testable import ServerModel
@testable import SyncServer

@Suite("People at other nodes")
struct RoomsCompanyTests {
  /// One room that is open at several nodes, which exchange messages about it.
  private struct Nodes {
    var benches: [RoomBench]
    var neighbours: [Neighbours]
    /// The messages that each node has sent and that have not arrived.
    var sent: [[[UInt8]]]
    /// The nodes that send nothing and receive nothing.
    var silent: Set<Int> = []
    /// Pairs of nodes. No message from the first to the second arrives.
    var broken: [(from: Int, to: Int)] = []

    /// - Parameter isAcquainted: whether the nodes know of each other.
    init(_ count: Int, isAcquainted: Bool = true) {
      benches = (1...count).map { number in
        var bench = RoomBench(company: UInt64(number))
        bench.random = SeededGenerator(seed: UInt64(number))
        return bench
      }
      neighbours = (1...count).map { Neighbours(number: UInt64($0)) }
      sent = Array(repeating: [], count: count)
      if isAcquainted { passSeconds(2) }
    }

    /// Delivers all messages between nodes, handles them, and sends all broadcasts.
    mutating func settle() {
      for _ in 0..<8 {
        for index in benches.indices where !silent.contains(index) {
          settle(at: index)
          deliver(from: index)
        }
      }
    }

    /// Sends all broadcasts of a node, and gathers its messages for the other nodes.
    mutating func settle(at index: Int) {
      benches[index].settle()
      tell(at: index)
    }

    mutating func tell(at index: Int) {
      let now = benches[index].now
      let origin = Person.Origin(token: nil, address: "127.0.0.1")
      let isShared = neighbours[index].isShared("demo")
      if let news = benches[index].room.takeNews(isShared: isShared, now: now, origin: { _ in origin }) {
        neighbours[index].add(news)
      }
      let everyone =
        neighbours[index].tellsAll(now: now)
        ? [benches[index].room.wholeNews(isShared: isShared, origin: { _ in origin })] : nil
      let audience = benches[index].room.audience
      let message = neighbours[index].takeMessage(everyone: everyone, now: now) {
        audience.member(of: $0.actor)?.peer.state
      }
      if let message { sent[index].append(message) }
    }

    private mutating func deliver(from index: Int) {
      let messages = sent[index]
      sent[index] = []
      for message in messages {
        for other in benches.indices where other != index && hears(other, from: index) {
          let now = benches[other].now
          guard let heard = neighbours[other].heard(message, now: now) else {
            Issue.record("a node can't read what another told")
            continue
          }
          take(heard.rooms, of: heard.node, at: other)
        }
      }
    }

    private mutating func take(_ news: [RoomNews], of node: UInt64, at index: Int) {
      for news in news { benches[index].room.heard(news, of: node, now: benches[index].now) }
      benches[index].takeEffects()
    }

    private func hears(_ node: Int, from other: Int) -> Bool {
      !silent.contains(node) && !broken.contains { $0 == (other, node) }
    }

    /// Joins at `node`, as the actor of a client that is connected to another node.
    mutating func join(
      as client: Int,
      of node: Int,
      at other: Int,
      _ change: (inout Hello) -> Void = { _ in }
    ) -> Int {
      let (actor, key) = (actor(node, client), benches[node].key(client))
      return benches[other].join(.json) { hello in
        hello.actor = actor
        hello.key = key
        change(&hello)
      }
    }

    mutating func setClock(of node: Int, aheadBy milliseconds: Int64) {
      benches[node].now.wallMilliseconds = UInt64(Int64(benches[node].now.wallMilliseconds) + milliseconds)
    }

    mutating func pass(_ milliseconds: UInt64) {
      for index in benches.indices { benches[index].pass(milliseconds) }
    }

    /// Advances the time. Each node does its periodic work every second.
    mutating func passSeconds(_ seconds: Int) {
      for _ in 0..<seconds {
        pass(1_000)
        for index in benches.indices where !silent.contains(index) { rest(at: index) }
        settle()
      }
    }

    mutating func rest(at index: Int) {
      for (node, rooms) in neighbours[index].beat(now: benches[index].now) { take(rooms, of: node, at: index) }
      benches[index].room.rest(now: benches[index].now)
      benches[index].takeEffects()
      tell(at: index)
    }

    func peers(_ node: Int, _ client: Int) -> Set<Identifier> { Set(benches[node].clients[client].peers.keys) }
    func actor(_ node: Int, _ client: Int) -> Identifier { benches[node].actor(client) }
  }

  @Test("joins, presence and leaves are announced at all nodes")
  func people() throws {
    var nodes = Nodes(3)
    let ann = nodes.benches[0].join { $0.name = "Ann" }
    let bob = nodes.benches[1].join { $0.name = "Bob" }
    nodes.settle()
    let eve = nodes.benches[2].join(.json) { $0.name = "Eve" }
    nodes.settle()
    let all = Set([nodes.actor(0, ann), nodes.actor(1, bob), nodes.actor(2, eve)])
    for (node, client) in [(0, ann), (1, bob), (2, eve)] {
      #expect(nodes.peers(node, client) == all.subtracting([nodes.actor(node, client)]))
    }
    #expect(nodes.benches[2].clients[eve].peers[nodes.actor(0, ann)]?.name == "Ann")
    nodes.pass(1_000)
    nodes.benches[0].say(.presence(state(7)), ann)
    nodes.settle()
    #expect(nodes.benches[2].clients[eve].peers[nodes.actor(0, ann)]?.state == state(7))
    // The welcome of a later client lists the people at other nodes.
    let late = nodes.benches[1].join()
    #expect(nodes.benches[1].clients[late].peers[nodes.actor(0, ann)]?.state == state(7))
    #expect(nodes.peers(1, late).isSuperset(of: all))
    nodes.benches[0].leave(ann)
    nodes.settle()
    #expect(!nodes.peers(1, bob).contains(nodes.actor(0, ann)))
    #expect(!nodes.peers(2, eve).contains(nodes.actor(0, ann)))
  }

  @Test("the last of several quick states arrives at the other nodes, though nothing follows it")
  func lastState() throws {
    var nodes = Nodes(2)
    let ann = nodes.benches[0].join()
    let bob = nodes.benches[1].join()
    nodes.passSeconds(1)
    let actor = nodes.actor(0, ann)
    for number in 1...9 {
      nodes.benches[0].say(.presence(state(number)), ann)
      nodes.pass(UInt64(number))
      nodes.benches[0].beatIfDue()
    }
    nodes.settle()
    #expect(nodes.benches[1].clients[bob].peers[actor]?.state == state(9))
  }

  @Test("what people show is told only to nodes that have people in the room")
  func alone() throws {
    var nodes = Nodes(2)
    let ann = nodes.benches[0].join()
    nodes.settle()
    func statesTold() -> [PeerState] {
      nodes.pass(100)
      nodes.benches[0].say(.presence(state(7)), ann)
      nodes.settle(at: 0)
      return nodes.sent[0].compactMap { NodeNews($0) }.flatMap(\.rooms).flatMap(\.states)
    }
    #expect(statesTold().isEmpty)
    nodes.settle()
    nodes.benches[1].join()
    nodes.settle()
    #expect(statesTold().count == 1)
    // A server that shares its rooms with no other tells nothing.
    var plain = RoomBench()
    plain.join()
    #expect(plain.room.takeNews(isShared: true, now: plain.now, origin: { _ in nil }) == nil)
  }

  @Test(
    "an actor is at one node: the older connection closes with 4409, however short it was there and whatever the clocks say",
    arguments: [-3_600_000, 0, 3_600_000] as [Int64],
    [0, 1]
  )
  func takeover(firstIsAhead milliseconds: Int64, first: Int) {
    var nodes = Nodes(3)
    let other = 1 - first
    nodes.setClock(of: first, aheadBy: milliseconds)
    let others = (0...2).map { nodes.benches[$0].join(.json) }
    let ann = nodes.benches[first].join(.json)
    nodes.settle()
    let actor = nodes.actor(first, ann)
    let there = nodes.join(as: ann, of: first, at: other)
    nodes.settle()
    #expect(nodes.benches[first].clients[ann].closed == .actorElsewhere)
    #expect(nodes.benches[other].clients[there].closed == nil)
    #expect(nodes.actor(other, there) == actor)
    // Ann returns to her node at once, and then joins at the third node.
    let back = nodes.join(as: ann, of: first, at: first)
    nodes.settle()
    #expect(nodes.benches[other].clients[there].closed == .actorElsewhere)
    #expect(nodes.benches[first].clients[back].closed == nil)
    for node in [other, 2] { #expect(nodes.peers(node, others[node]).contains(actor)) }
    let third = nodes.join(as: ann, of: first, at: 2)
    nodes.settle()
    #expect(nodes.benches[first].clients[back].closed == .actorElsewhere)
    nodes.passSeconds(2)
    #expect(nodes.benches[2].clients[third].closed == nil)
    for node in [0, 1] { #expect(nodes.peers(node, others[node]).contains(actor)) }
  }

  @Test("somebody sent away by a node whose clock is ahead stays when coming back, and the old connection is closed")
  func takeoverAgain() {
    var nodes = Nodes(2)
    nodes.setClock(of: 0, aheadBy: 600_000)
    let ann = nodes.benches[0].join(.json)
    nodes.passSeconds(2)
    let there = nodes.join(as: ann, of: 0, at: 1)
    nodes.settle()
    #expect(nodes.benches[1].clients[there].closed == .actorElsewhere)
    nodes.passSeconds(2)
    let again = nodes.join(as: ann, of: 0, at: 1)
    nodes.settle()
    nodes.passSeconds(3)
    #expect(nodes.benches[1].clients[again].closed == nil)
    #expect(nodes.benches[0].clients[ann].closed == .actorElsewhere)
  }

  @Test("after an outage in which nodes lost sight of each other, people see each other once one of the nodes asks")
  func outage() {
    var nodes = Nodes(2)
    let ann = nodes.benches[0].join()
    let bob = nodes.benches[1].join()
    nodes.passSeconds(2)
    nodes.broken = [(0, 1), (1, 0)]
    nodes.passSeconds(5)
    #expect(nodes.benches[1].clients[bob].peers.isEmpty)
    nodes.broken = []
    nodes.neighbours[0].askAnew()
    nodes.settle()
    #expect(nodes.benches[1].clients[bob].peers.count == 1 && nodes.benches[0].clients[ann].peers.count == 1)
  }

  @Test(
    "of an actor that came to two nodes before they heard of each other, one connection stays, also if both hear of it late",
    arguments: [0, 10_000] as [UInt64],
    [-1, 0, 1] as [Int64]
  )
  func takeoverUnheard(heldUp milliseconds: UInt64, firstIsAhead: Int64) {
    var nodes = Nodes(3)
    let ann = nodes.benches[2].join(.json)
    let guests = [nodes.benches[0].join(.json), nodes.benches[1].join(.json)]
    nodes.settle()
    let actor = nodes.actor(2, ann)
    nodes.benches[2].leave(ann)
    let cat = nodes.benches[2].join(.json)
    nodes.settle()
    nodes.benches[1].now.wallMilliseconds = nodes.benches[0].now.wallMilliseconds
    nodes.setClock(of: 0, aheadBy: firstIsAhead)
    nodes.silent = [0, 1]
    let came = [nodes.join(as: ann, of: 2, at: 0), nodes.join(as: ann, of: 2, at: 1)]
    nodes.pass(milliseconds)
    nodes.silent = []
    nodes.passSeconds(6)
    // The connection with the later opening time stays. Each node takes that time from its own clock. If the times are
    // equal, the connection at the node with the greater number stays.
    let stays = firstIsAhead > 0 ? 0 : 1
    #expect(nodes.benches[stays].clients[came[stays]].closed == nil)
    #expect(nodes.benches[1 - stays].clients[came[1 - stays]].closed == .actorElsewhere)
    #expect(nodes.peers(1 - stays, guests[1 - stays]).contains(actor) && nodes.peers(2, cat).contains(actor))
  }

  @Test(
    "an actor that came back to a node whose clock is behind is seen there, once the node where it was is silent or says that it left"
  )
  func passedOver() {
    for isKilled in [true, false] {
      var nodes = Nodes(3)
      nodes.setClock(of: 0, aheadBy: 3_600_000)
      let cat = nodes.benches[2].join(.json)
      for node in 0...1 { nodes.benches[node].join(.json) }
      nodes.settle()
      nodes.broken = [(from: 0, to: 1)]
      let ann = nodes.benches[0].join(.json)
      nodes.settle()
      let back = nodes.join(as: ann, of: 0, at: 1)
      nodes.settle()
      // A node that knows both connections keeps the one whose `Claim` is greater.
      let actor = nodes.actor(1, back)
      let first = nodes.benches[0].room.company?.number
      #expect(nodes.benches[2].room.audience.member(of: actor)?.claim.node == first)
      if isKilled { nodes.silent = [0] } else { nodes.benches[0].leave(ann) }
      nodes.broken = []
      nodes.passSeconds(6)
      #expect(nodes.benches[1].clients[back].closed == nil)
      #expect(nodes.peers(2, cat).contains(actor))
    }
  }

  @Test("of an actor that draws at one node and looks on at another, who draws stays", arguments: [0, 1])
  func roles(editor: Int) throws {
    var nodes = Nodes(2)
    let viewer = 1 - editor
    let ann = nodes.benches[editor].join(.json)
    let actor = nodes.actor(editor, ann)
    let bob = nodes.benches[viewer].join(.json)
    // The two nodes exchange no messages, so neither knows of the other node's connections.
    nodes.silent = [0, 1]
    let looking = nodes.join(as: ann, of: editor, at: viewer) { $0.readonly = true }
    #expect(nodes.actor(viewer, looking) == actor)
    nodes.pass(10_000)
    nodes.silent = []
    nodes.passSeconds(2)
    #expect(nodes.benches[editor].clients[ann].closed == nil)
    #expect(nodes.benches[viewer].clients[looking].closed == .actorElsewhere)
    #expect(nodes.peers(viewer, bob).contains(actor))
    // This node knows that the actor is an editor elsewhere, so a viewer who claims the actor gets another actor.
    let later = nodes.join(as: ann, of: editor, at: viewer) { $0.readonly = true }
    #expect(nodes.actor(viewer, later) != actor)
  }

  @Test("a node that falls silent has taken its people with it, and they are back when it is")
  func silence() {
    var nodes = Nodes(2)
    let ann = nodes.benches[0].join()
    let bob = nodes.benches[1].join()
    nodes.settle()
    nodes.passSeconds(10)
    #expect(nodes.peers(1, bob).contains(nodes.actor(0, ann)))
    nodes.silent = [0]
    nodes.passSeconds(5)
    #expect(!nodes.peers(1, bob).contains(nodes.actor(0, ann)))
    nodes.silent = []
    nodes.passSeconds(16)
    #expect(nodes.peers(1, bob).contains(nodes.actor(0, ann)))
    #expect(nodes.peers(0, ann).contains(nodes.actor(1, bob)))
    // The last person leaves this node. The node forgets the people at other nodes, and tells those nodes that its own
    // people have left.
    nodes.benches[1].leave(bob)
    nodes.settle()
    #expect(nodes.peers(0, ann).isEmpty)
    #expect(nodes.benches[1].room.isIdle)
  }

  @Test("news that got lost are asked for, whichever it was")
  func lost() throws {
    for message in 0..<3 {
      var nodes = Nodes(2)
      let bob = nodes.benches[1].join()
      let ann = nodes.benches[0].join { $0.name = "Ann" }
      nodes.settle()
      for number in 0..<3 {
        nodes.benches[0].join { $0.name = Text("number \(number)") }
        nodes.benches[0].say(.presence(state(number)), ann)
        nodes.pass(100)
        nodes.settle(at: 0)
      }
      #expect(nodes.sent[0].count >= 3)
      nodes.sent[0].remove(at: message)
      nodes.settle()
      nodes.passSeconds(3)
      #expect(nodes.benches[1].room.memberCount == 5)
      #expect(nodes.benches[1].clients[bob].peers[nodes.actor(0, ann)]?.state == state(2))
    }
  }

  @Test(
    "a client that comes back to the same node shows nothing yet, even if nobody has heard that it had left",
    arguments: [false, true]
  )
  func showsNothing(losesLeave: Bool) throws {
    var nodes = Nodes(2)
    // Clients that speak JSON get a key, with which they are the same actor again.
    let ann = nodes.benches[0].join(.json)
    let bob = nodes.benches[1].join()
    nodes.settle()
    nodes.benches[0].say(.presence(state(5)), ann)
    nodes.passSeconds(1)
    #expect(nodes.benches[1].clients[bob].peers[nodes.actor(0, ann)]?.state == state(5))
    if losesLeave {
      nodes.benches[0].leave(ann)
      nodes.settle(at: 0)
      nodes.sent[0] = []
    }
    let again = nodes.benches[0].again(ann)
    #expect(nodes.actor(0, again) == nodes.actor(0, ann))
    nodes.passSeconds(1)
    let peer = nodes.benches[1].clients[bob].peers[nodes.actor(0, again)]
    #expect(peer != nil && peer?.state ?? .emptyObject == .emptyObject)
  }

  @Test("a room whose last session went to another node keeps nobody of that node")
  func lastOne() {
    var nodes = Nodes(2)
    let ann = nodes.benches[0].join(.json)
    nodes.passSeconds(10)
    for _ in 0..<3 { nodes.benches[1].join() }
    nodes.benches[1].settle()
    _ = nodes.join(as: ann, of: 0, at: 1)
    nodes.settle()
    #expect(nodes.benches[0].clients[ann].closed == .actorElsewhere)
    #expect(nodes.benches[0].room.memberCount == 0)
  }

  @Test("others learn at once that everybody has left a node")
  func everybodyLeft() {
    var nodes = Nodes(2)
    let ann = nodes.benches[0].join()
    let bob = nodes.benches[1].join()
    nodes.settle()
    #expect(nodes.peers(1, bob) == [nodes.actor(0, ann)])
    nodes.benches[0].leave(ann)
    nodes.settle()
    #expect(nodes.peers(1, bob).isEmpty)
  }

  @Test("two nodes that have a room otherwise at the same place notice it, and only then")
  func differences() {
    var nodes = Nodes(2)
    nodes.benches[0].join()
    nodes.benches[1].join()
    nodes.settle()
    let (square, actor) = (nodes.benches[0].shape(1), nodes.benches[0].shape(9))
    // Both nodes apply the same record, and then different records at the next position.
    for (index, x) in [(0, 1.0), (1, 1.0), (0, 2.0), (1, 3.0)] {
      let set = Properties { ($0.kind, $0.position) = (.rectangle, Point(x: x, y: 0)) }
      let position = nodes.benches[index].room.position + 1
      let operation = Operation(
        shape: square,
        at: Stamp(time: RoomBench.epoch << 16 | UInt64(x), actor: actor),
        set: set
      )
      let record = RoomRecord(position: position, milliseconds: RoomBench.epoch, run: 7, operations: [operation])
      nodes.benches[index].deliver(record)
      if x == 1, index == 1 {
        nodes.passSeconds(3)
        #expect(nodes.benches.map(\.differences) == [0, 0])
      }
    }
    nodes.passSeconds(3)
    #expect(nodes.benches.allSatisfy { $0.differences > 0 })
  }

  @Test("what people showed before two nodes knew of each other is seen at both")
  func acquaintance() {
    var nodes = Nodes(2, isAcquainted: false)
    let (ann, bob) = (nodes.benches[0].join(), nodes.benches[1].join())
    nodes.benches[0].say(.presence(state(1)), ann)
    nodes.benches[1].say(.presence(state(2)), bob)
    nodes.silent = [0, 1]
    nodes.passSeconds(1)
    nodes.silent = []
    nodes.passSeconds(4)
    #expect(nodes.benches[1].clients[bob].peers[nodes.actor(0, ann)]?.state == state(1))
    #expect(nodes.benches[0].clients[ann].peers[nodes.actor(1, bob)]?.state == state(2))
  }

  @Test("a state that got lost is asked for, once")
  func lostState() throws {
    var nodes = Nodes(2)
    let ann = nodes.benches[0].join()
    let bob = nodes.benches[1].join()
    nodes.settle()
    nodes.passSeconds(2)
    for (number, isLost) in [(1, false), (2, true)] {
      nodes.pass(200)
      nodes.benches[0].say(.presence(state(number)), ann)
      nodes.settle(at: 0)
      if isLost { nodes.sent[0].removeLast() }
      nodes.settle()
      if isLost { nodes.passSeconds(3) }
      #expect(nodes.benches[1].clients[bob].peers[nodes.actor(0, ann)]?.state == state(number))
      // Nothing is missing now, so no node asks for anything or names its people.
      nodes.passSeconds(2)
      nodes.pass(1_000)
      for index in 0...1 {
        nodes.rest(at: index)
        let news = nodes.sent[index].compactMap { NodeNews($0) }
        #expect(news.count == 1 && !news[0].asks && news[0].rooms.allSatisfy(\.joined.isEmpty))
      }
      nodes.settle()
    }
  }
}
