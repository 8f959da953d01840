import Testing

@testable import CanvasCRDT

@Suite("Histories saved and restored")
struct SavedHistoryTests {
  /// Saves a replica with its undo history, and restores it.
  func reborn(_ replica: Replica) throws -> Replica {
    var restored = try Replica(saved: replica.save(withDrawing: true), seed: 8)
    try restored.restoreHistory(replica.saveHistory())
    return restored
  }

  /// A room with undone and redoable steps of every kind: creations, drags, renamings, deletions.
  func busy(seed: UInt64) -> TestRoom {
    var random = SeededGenerator(seed: seed)
    var (room, ann, bob) = TestRoom.withAnnAndBob()
    var shapes = (0..<4).map { _ in room.add(ann) }
    room.settle()
    for step in 0..<24 {
      let shape = shapes[Int.random(in: 0..<shapes.count, using: &random)]
      switch Int.random(in: 0..<7, using: &random) {
      case 0: shapes.append(room.add(ann))
      case 1: room.edit(ann, shape) { $0.position = Point(x: Double(step), y: 1) }
      case 2: room.edit(ann, shape) { $0.name = Text("Name \(step)") }
      case 3: room.hosts[ann].run(at: room.time) { $0.delete([shape], at: $1) }
      case 4: room.edit(bob, shape) { $0.rotation = Double(step) }
      case 5: room.hosts[ann].run(at: room.time) { $0.undo(at: $1) }
      default: room.hosts[ann].run(at: room.time) { $0.redo(at: $1) }
      }
      room.settle()
    }
    return room
  }

  @Test("undo and redo after a restart do what they would have done without it", arguments: 0..<40)
  func goesOn(seed: Int) throws {
    let room = busy(seed: UInt64(seed))
    let now = room.hosts[0].moment(room.time)
    var lived = room.hosts[0].replica
    var steps = 0
    while lived.canUndo {
      var restored = try reborn(lived)
      let agreesBefore = restored.canUndo == lived.canUndo && restored.canRedo == lived.canRedo
      #expect(agreesBefore)
      // Every fifth step is a redo, and all others are undos. So in the end everything is undone.
      let isUndo = steps % 5 != 4
      _ = isUndo ? lived.undo(at: now) : lived.redo(at: now)
      _ = isUndo ? restored.undo(at: now) : restored.redo(at: now)
      let agrees = restored.canvas == lived.canvas
      #expect(agrees, "after \(steps) steps")
      steps += 1
    }
    #expect(steps > 0)
  }

  @Test("saving what was restored gives the same bytes") func stable() throws {
    var room = busy(seed: 1)
    // Edits that aren't answered have replaced values, one of them a value of their own step.
    let shape = room.add(0)
    room.beginGroup(0)
    for step in 1...8 { room.edit(0, shape) { $0.rotation = Double(step) } }
    room.endGroup(0)
    let replica = room.hosts[0].replica
    #expect(!replica.outbox.flights.isEmpty && replica.outbox.waitingCount > 0)
    #expect(try reborn(replica).saveHistory() == replica.saveHistory())
  }

  @Test("only the newest steps are kept, and the very newest whatever its size") func bounded() throws {
    let replica = busy(seed: 3).hosts[0].replica
    for shapesMax in [0, 1, 5] {
      var restored = replica
      try restored.restoreHistory(replica.saveHistory(shapesMax: shapesMax))
      #expect(restored.history.undoable.count == min(replica.history.undoable.count, max(1, shapesMax)))
    }
  }

  @Test("bytes that are cut or changed anywhere are refused, and the history stays as it was") func damaged() {
    let bytes = busy(seed: 2).hosts[0].replica.saveHistory()
    var replica = busy(seed: 3).hosts[0].replica
    let before = replica.saveHistory()
    for length in 0..<bytes.count {
      #expect(throws: SavedReplicaError.self) { try replica.restoreHistory(Array(bytes[..<length])) }
    }
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 0x10
      #expect(throws: SavedReplicaError.self) { try replica.restoreHistory(changed) }
    }
    #expect(throws: SavedReplicaError.unknownVersion(9)) { try replica.restoreHistory([9] + bytes.dropFirst()) }
    #expect(replica.saveHistory() == before)
  }

  @Test("any bytes with a valid checksum are a history or are refused", arguments: 0..<4) func forged(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    let room = busy(seed: 2)
    let replica = room.hosts[0].replica
    let bytes = replica.saveHistory()
    var restored = 0
    for _ in 0..<400 {
      var body = Array(bytes.dropLast(SavedReplica.checksumBytes))
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        body[Int.random(in: 1..<body.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      let checksum = body.withUnsafeBytes { SavedReplica.checksum(of: $0) }
      withUnsafeBytes(of: checksum.bigEndian) { body += Array($0) }
      var other = replica
      guard (try? other.restoreHistory(body)) != nil else { continue }
      restored += 1
      while other.canUndo { _ = other.undo(at: room.hosts[0].moment(room.time)) }
    }
    #expect(restored > 0 && restored < 400)
  }
}
