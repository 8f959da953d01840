import Testing

@testable import CanvasCRDT

/// Seeded histories of several replicas on a bad network that becomes good at the end.
@Suite struct ReplicaSimulationTests {
  @Test("whatever the network does, everyone ends with the server's drawing and nothing is lost", arguments: 0..<12)
  func convergence(block: Int) throws {
    for offset in 0..<25 {
      let seed = UInt64(block * 25 + offset)
      var simulation = Simulation(seed: seed)
      simulation.run(steps: 160)
      simulation.finish()
      let room = simulation.room
      for (index, host) in room.hosts.enumerated() {
        let name: Comment = "seed \(seed), replica \(index)"
        #expect(host.replica.state == .live, name)
        #expect(host.replica.unsentCount == 0, name)
        #expect(host.replica.canvas == room.server.canvas, name)
        #expect(host.replica.confirmedDigest == room.server.canvas.digest, name)
        #expect(host.verdicts.last == .agrees, name)
        #expect(!host.verdicts.contains(.disagrees), name)
        #expect(host.failures.isEmpty, name)
        for marker in simulation.markers {
          #expect(host.replica.canvas[marker.shape]?.properties.name == marker.name, name)
        }
        for edit in host.rejected {
          guard let at = edit.operation.at else { continue }
          #expect(!room.server.accepted.contains(at), name)
          for property in edit.operation.set.assigned {
            #expect(host.replica.canvas.stamp(of: property, in: edit.operation.shape) != at, name)
          }
        }
        for operation in room.server.log {
          for property in operation.set.assigned {
            let winner = host.replica.canvas.winner(of: property, in: operation.shape)
            #expect(winner.map { $0 >= operation.at } == true, name)
          }
        }
      }
      #expect(room.server.refusals[.badStamp] == nil, "seed \(seed)")
      if !simulation.clocksJump { #expect(room.server.refusals[.clockAhead] == nil, "seed \(seed)") }
    }
  }

  @Test("the simulated faults do happen")
  func faultsHappen() {
    var drops = 0
    var cutStates = 0
    var lostAnswers = 0
    var restores = 0
    var resets = 0
    var superseded = 0
    var refusals: [RejectCode: Int] = [:]
    for seed in 0..<20 {
      var simulation = Simulation(seed: UInt64(seed))
      simulation.run(steps: 160)
      drops += simulation.drops
      cutStates += simulation.cutStates
      lostAnswers += simulation.lostAnswers
      restores += simulation.restores
      resets += simulation.room.server.resets
      for host in simulation.room.hosts { superseded += host.superseded.count }
      refusals.merge(simulation.room.server.refusals, uniquingKeysWith: +)
    }
    #expect(drops > 20)
    #expect(cutStates > 0)
    #expect(lostAnswers > 5)
    #expect(restores > 5)
    #expect(resets > 2)
    #expect(superseded > 2)
    for code in [RejectCode.badValue, .roomFull, .tooOld, .rateLimited, .unavailable] {
      #expect(refusals[code, default: 0] > 0)
    }
  }
}

private struct Simulation {
  var room: TestRoom
  var random: SeededGenerator
  let clocksJump: Bool
  var configuration = ReplicaConfiguration()
  var markers: [(shape: Identifier, name: Text)] = []
  var drops = 0
  var cutStates = 0
  var lostAnswers = 0
  var restores = 0

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    room = TestRoom(seed: seed ^ 0xABCD)
    clocksJump = seed % 5 == 4
    room.server.encoding = seed % 3 == 2 ? .json : .binary
    configuration.encoding = room.server.encoding
    room.server.limits.operationsPerMessage = UInt64.random(in: 1...6, using: &random)
    room.server.limits.operationsPerSecond = UInt64.random(in: 5...200, using: &random)
    room.server.faults = .init(rejects: 0.04, passingRejects: 0.05, newActors: 0.05, resets: 0.1)
    for index in 0..<Int.random(in: 2...5, using: &random) {
      let minutes = Int64.random(in: -10...10, using: &random)
      room.hosts.append(
        TestHost(
          Replica(configuration: configuration, seed: random.next()),
          session: index,
          wallError: minutes * 60_000
        )
      )
      if Bool.random(using: &random) { room.run(index) { $0.start(at: $1) } }
    }
  }

  mutating func run(steps: Int) {
    for _ in 0..<steps {
      room.time += UInt64.random(in: 1...150, using: &random)
      let host = Int.random(in: room.hosts.indices, using: &random)
      switch Int.random(in: 0..<20, using: &random) {
      case 0..<7: edit(host)
      case 7..<12: room.server.flush(room.hosts[host].server)
      case 12..<15: drop(host)
      case 15: if Int.random(in: 0..<3, using: &random) == 0 { restore(host) }
      case 16..<18: room.run(host) { $0.start(at: $1) }
      case 18: room.run(host) { $0.askDigest(at: $1) }
      case 19: if clocksJump { room.hosts[host].wallError += Int64.random(in: -300_000...300_000, using: &random) }
      default: break
      }
      for host in room.hosts.indices {
        if Int.random(in: 0..<3, using: &random) == 0 { room.open(host) }
        if !room.hosts[host].toServer.isEmpty, Int.random(in: 0..<2, using: &random) == 0 { sendOne(host) }
        for _ in 0..<Int.random(in: 0...2, using: &random) { room.deliverOne(to: host) }
        if let at = room.hosts[host].wakeAt, at <= room.time {
          room.hosts[host].wakeAt = nil
          room.run(host) { $0.wake(at: $1) }
        }
        if !room.hosts[host].isOpen { room.server.close(host) }
      }
    }
  }

  private mutating func sendOne(_ host: Int) {
    let bytes = room.hosts[host].toServer.removeFirst()
    // Now and then a message arrives twice.
    for _ in 0..<(Int.random(in: 0..<10, using: &random) == 0 && room.server.isSubmission(bytes) ? 2 : 1) {
      try? room.server.receive(bytes, from: host, wall: TestHost.epoch + room.time)
    }
  }

  private mutating func drop(_ host: Int) {
    guard room.hosts[host].isOpen else { return }
    drops += 1
    if room.hosts[host].replica.optimistic.isArriving { cutStates += 1 }
    if room.server.owesAnswer(to: host) { lostAnswers += 1 }
    let codes: [CloseCode?] = [nil, .goingAway, .noSignOfLife, .actorElsewhere]
    room.disconnect(host, code: codes[Int.random(in: 0..<4, using: &random)]?.rawValue)
  }

  private mutating func restore(_ host: Int) {
    restores += 1
    let before = room.hosts[host].replica
    let withDrawing = Bool.random(using: &random)
    guard
      let replica = try? Replica(
        saved: before.save(withDrawing: withDrawing),
        configuration: configuration,
        seed: random.next()
      )
    else {
      Issue.record("what was saved can't be restored")
      return
    }
    #expect(replica.unsentCount == before.unsentCount)
    #expect(replica.actor == before.actor)
    if withDrawing { #expect(replica.canvas == before.canvas) }
    room.server.close(host)
    var restored = TestHost(replica, session: host, wallError: room.hosts[host].wallError)
    restored.rejected = room.hosts[host].rejected
    restored.failures = room.hosts[host].failures
    restored.verdicts = room.hosts[host].verdicts
    room.hosts[host] = restored
    room.run(host) { $0.start(at: $1) }
  }

  private mutating func edit(_ host: Int) {
    let shapes = room.hosts[host].replica.canvas.shapes.map { $0.id }
    let pick = shapes.randomElement(using: &random)
    var set = Properties()
    switch Int.random(in: 0..<12, using: &random) {
    case 0..<3:
      set.kind = ShapeKind.allCases.randomElement(using: &random)!
      set.position = point()
      if Bool.random(using: &random) { set.name = "Box" }
      _ = room.add(host) { $0 = set }
    case 3: if let pick { room.run(host) { $0.delete([pick], at: $1) } }
    case 4: if Int.random(in: 0..<6, using: &random) == 0 { room.run(host) { $0.clear(at: $1) } }
    case 5, 6: room.run(host) { $0.undo(at: $1) }
    case 7: room.run(host) { $0.redo(at: $1) }
    case 8:
      if Bool.random(using: &random) {
        room.hosts[host].replica.beginGroup()
      } else {
        room.hosts[host].replica.endGroup()
      }
    case 9:
      // Several shapes at once.
      let edits = shapes.prefix(4).map { shape in
        var set = Properties()
        set.alpha = Int16.random(in: 1...10, using: &random)
        return ShapeEdit(shape: shape, set: set)
      }
      room.run(host) { $0.edit(edits, at: $1) }
    default:
      guard let pick else { return }
      let moved = point()
      room.edit(host, pick) { $0.position = moved }
    }
  }

  private mutating func point() -> Point {
    Point(
      x: Double(Int.random(in: 0..<500, using: &random)),
      y: Double(Int.random(in: 0..<500, using: &random))
    )
  }

  /// Everyone edits once more, connected or not. From then on the network and the server are good.
  mutating func finish() {
    room.server.faults = .init()
    room.server.limits.operationsPerMessage = 64
    room.server.limits.operationsPerSecond = 10_000
    for host in room.hosts.indices {
      if host % 2 == 0, room.hosts[host].isOpen { drop(host) }
      let name = Text("marker of the one that came \(host)")
      let marker = room.add(host) { $0.name = name }
      markers.append((marker, name))
    }
    for host in room.hosts.indices { room.run(host) { $0.start(at: $1) } }
    room.settle(for: 120_000)
    for host in room.hosts.indices { room.run(host) { $0.askDigest(at: $1) } }
    room.settle(for: 20_000)
  }
}
