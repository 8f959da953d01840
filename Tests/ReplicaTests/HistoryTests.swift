import Testing

@testable import CanvasCRDT
@testable import ServerModel
@testable import SyncServer

/// Random histories of people at replicas: saved and restored, cut off, refused with every code, coming back as others, with
/// messages as long as they can be. Afterwards nothing may be stuck or changed, and who was alone can undo and redo all of it.
@Suite struct HistoryTests {
  /// How often something worth checking happened.
  struct Count {
    var cuts = 0
    var lostAnswers = 0
    var newActors = 0
    var restored = 0
    var refused = 0
    var abandoned = 0
    var long = 0
    var undoneAll = 0
  }

  struct History {
    let seed: UInt64
    var random: SeededGenerator
    var room: TestRoom
    let people: Int
    let isLong: Bool
    var count = Count()
    var name: Comment { "seed \(seed)" }

    init(seed: UInt64) {
      self.seed = seed
      var random = SeededGenerator(seed: seed)
      isLong = Int.random(in: 0..<16, using: &random) == 0
      let isLong = isLong
      room = TestRoom { limits in if isLong { limits.messageBytes = 16_384 } }
      // Half of the histories are of one person alone.
      people = Bool.random(using: &random) ? 1 : 2
      self.random = random
      for _ in 0..<people {
        var configuration = ReplicaConfiguration()
        configuration.encoding = Bool.random(using: &self.random) ? .json : .binary
        room.join(Replica(configuration: configuration, seed: self.random.next()))
      }
    }

    mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }
  }
}

// MARK: - What people do

extension HistoryTests.History {
  mutating func properties() -> Properties {
    var set = Properties()
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      let number = Int.random(in: 0...2, using: &random)
      switch Int.random(in: 0..<8, using: &random) {
      case 0: set.name = ["Sun", "Moon", "Star"][number]
      // Defaults too, written by hand.
      case 1: set.isLocked = number == 0
      case 2: set.isFilled = number > 0
      case 3: set.group = number == 0 ? nil : Identifier(packed: UInt64(number))
      case 4: set.text = ["", "a", "bc"][number]
      case 5: set.alpha = [10, 4, 5][number]
      default: set.position = Point(x: Double(number), y: 0)
      }
    }
    return set
  }

  mutating func newShape() -> Properties {
    var set = chance(2) ? properties() : Properties()
    set.kind = ShapeKind.allCases.randomElement(using: &random)!
    return set
  }

  func live(_ host: Int) -> [Identifier] { room.hosts[host].replica.canvas.shapes.map(\.id) }

  mutating func some(_ host: Int) -> [Identifier] {
    let count = Int.random(in: 1...3, using: &random)
    return Array(live(host).shuffled(using: &random).prefix(count))
  }

  mutating func write(_ host: Int) {
    switch Int.random(in: 0..<9, using: &random) {
    case 0, 1:
      let set = newShape()
      _ = room.add(host) { $0 = set }
    case 2:
      let shapes = some(host)
      room.run(host) { $0.delete(shapes, at: $1) }
    case 3: room.run(host) { $0.undo(at: $1) }
    case 4: room.run(host) { $0.redo(at: $1) }
    case 5 where isLong:
      count.long += 1
      let edits = (0..<4).map { _ in
        ShapeEdit(shape: Identifier.random(using: &random), set: MessageLengthTests.longInk())
      }
      room.run(host) { $0.edit(edits, at: $1) }
    default:
      let edits = some(host).map { ShapeEdit(shape: $0, set: properties()) }
      room.run(host) { $0.edit(edits, at: $1) }
    }
  }

  mutating func begin(_ host: Int) {
    room.run(host) { replica, _ in
      replica.beginGroup()
      return []
    }
  }

  mutating func end(_ host: Int) {
    room.run(host) { replica, _ in
      replica.endGroup()
      return []
    }
  }

  // MARK: What happens to them

  /// The next message with edits is refused, whatever for. What was sent behind it goes on.
  mutating func refuse(_ host: Int) throws {
    let sent = room.hosts[host].toServer
    let encoding = room.hosts[host].encoding
    let first = try sent.firstIndex { bytes in
      let message =
        try encoding.isText ? JSONEncoding.decodeClientMessage(bytes) : BinaryEncoding.decodeClientMessage(bytes)
      if case .operations = message { return true }
      return false
    }
    guard let first else { return }
    let messages = try room.hosts[host].intercept()
    room.hosts[host].toServer = sent
    guard case .operations(let submission) = messages[first] else { return }
    // What a room has taken it takes again (W8).
    let stamps = submission.operations.compactMap(\.at)
    guard !room.log.contains(where: { stamps.contains($0.at) }) else { return }
    room.hosts[host].toServer.remove(at: first)
    let code = RejectCode.allCases.filter { $0 != .clockAhead && $0 != .tooOld }.randomElement(using: &random)!
    let operation = chance(3) ? nil : submission.operations.indices.randomElement(using: &random)
    count.refused += 1
    room.hand(.rejection(Rejection(id: submission.id, operation: operation, code: code, message: "no")), to: host)
  }

  mutating func cut(_ host: Int) {
    count.cuts += 1
    if chance(2) {
      // What was sent arrives, and the answers are lost.
      count.lostAnswers += 1
      room.deliverToServer(host)
    }
    var code: UInt16?
    if chance(3) {
      count.newActors += 1
      code = CloseCode.actorElsewhere.rawValue
    } else if chance(8) {
      code = CloseCode.goingAway.rawValue
    }
    room.disconnect(host, code: code)
  }

  /// The host ends and begins again with what it has kept.
  mutating func restore(_ host: Int) throws {
    count.restored += 1
    let before = room.hosts[host].replica
    let bytes = before.save(withDrawing: chance(2))
    let history = before.saveHistory()
    room.disconnect(host)
    var replica = try Replica(saved: bytes, configuration: before.configuration, seed: random.next())
    try replica.restoreHistory(history)
    room.hosts[host] = TestHost(replica)
    room.run(host) { $0.start(at: $1) }
  }

  mutating func step() throws {
    room.time += UInt64.random(in: 0...2, using: &random)
    let host = Int.random(in: 0..<people, using: &random)
    switch Int.random(in: 0..<12, using: &random) {
    case 0: room.settle()
    case 1: cut(host)
    case 2: try refuse(host)
    case 3: if chance(2) { try restore(host) } else { room.settle(for: 5_000) }
    case 4:
      begin(host)
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        write(host)
        if chance(3) { room.settle() }
        if chance(4) { try refuse(host) }
        if chance(6) { cut(host) }
      }
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        count.abandoned += 1
        room.run(host) { $0.abandonStep(at: $1) }
      // It stays open.
      case 1: break
      default: end(host)
      }
    default: write(host)
    }
  }

  // MARK: Afterwards

  mutating func rest() {
    for host in room.hosts.indices where room.hosts[host].replica.state == .offline {
      room.run(host) { $0.start(at: $1) }
    }
    room.settle(for: 120_000)
    for host in room.hosts.indices {
      #expect(room.hosts[host].replica.unsentCount == 0, name)
      #expect(room.hosts[host].replica.canvas == room.canvas, name)
      #expect(room.hosts[host].failures.isEmpty, name)
    }
  }

  func picture() -> UndoRedoLawTests.Picture { UndoRedoLawTests.Picture(room.hosts[0].replica.canvas) }

  mutating func run(steps: Int) throws {
    for _ in 0..<steps { try step() }
    for host in room.hosts.indices { end(host) }
    let shown = picture()
    let rejected = room.hosts[0].rejected.count
    rest()
    guard people == 1 else { return }
    if room.hosts[0].rejected.count == rejected { #expect(picture() == shown, name) }
    try undoAll()
  }

  /// Who was alone finds nothing left after undoing everything, and everything after redoing it.
  mutating func undoAll() throws {
    while room.hosts[0].replica.canRedo { room.run(0) { $0.redo(at: $1) } }
    rest()
    let before = picture()
    let canvas = room.canvas
    var steps = 0
    while room.hosts[0].replica.canUndo, steps < 200 {
      room.run(0) { $0.undo(at: $1) }
      steps += 1
      if chance(8) { cut(0) }
    }
    rest()
    #expect(room.canvas.liveCount == 0, name)
    guard room.canvas.liveCount == 0 else { return }
    while room.hosts[0].replica.canRedo, steps < 400 {
      room.run(0) { $0.redo(at: $1) }
      steps += 1
      if chance(8) { cut(0) }
    }
    rest()
    count.undoneAll += 1
    #expect(picture() == before, name)
    #expect(ShownNames(room.canvas).all(of: canvas) == ShownNames(canvas).all(of: canvas), name)
  }
}

extension ShownNames {
  fileprivate func all(of canvas: Canvas) -> [Identifier: Text] {
    var names: [Identifier: Text] = [:]
    for shape in canvas.shapes { names[shape.id] = name(of: shape.id) }
    return names
  }
}

extension HistoryTests {
  @Test("nothing is stuck, lost or changed, and one who was alone can undo and redo everything", arguments: 0..<20)
  func histories(block: Int) throws {
    var count = Count()
    for offset in 0..<100 {
      var history = History(seed: UInt64(block * 100 + offset))
      try history.run(steps: 12)
      count.add(history.count)
    }
    #expect(count.cuts > 20 && count.lostAnswers > 10 && count.newActors > 5 && count.restored > 5)
    #expect(count.refused > 20 && count.abandoned > 5 && count.long > 0 && count.undoneAll > 20)
  }
}

extension HistoryTests.Count {
  fileprivate mutating func add(_ other: HistoryTests.Count) {
    cuts += other.cuts
    lostAnswers += other.lostAnswers
    newActors += other.newActors
    restored += other.restored
    refused += other.refused
    abandoned += other.abandoned
    long += other.long
    undoneAll += other.undoneAll
  }
}
