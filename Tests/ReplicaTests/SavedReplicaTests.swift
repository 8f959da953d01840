import Testing

@testable import CanvasCRDT

@Suite("Replicas saved and restored")
struct SavedReplicaTests {
  /// A replica with a confirmed drawing, a message in flight, and edits that are not sent yet.
  func busy() -> TestRoom {
    var (room, ann) = TestRoom.withAnn()
    let shapes = (0..<5).map { _ in room.add(ann) }
    room.settle()
    room.edit(ann, shapes[0]) { $0.rotation = 1 }
    room.disconnect(ann)
    room.edit(ann, shapes[1]) { $0.name = "Waiting" }
    _ = room.add(ann) { $0.kind = .star }
    return room
  }

  private func hello(of replica: Replica) throws -> Hello {
    var host = TestHost(replica)
    return try host.hello()
  }

  @Test("a replica restored with its drawing shows the same, resumes by its cursor and sends the same")
  func withDrawing() throws {
    var room = busy()
    let before = room.hosts[0].replica
    let restored = try Replica(saved: before.save(withDrawing: true), seed: 8)
    #expect(restored.canvas == before.canvas)
    #expect(restored.confirmedCanvas == before.confirmedCanvas)
    #expect(restored.cursor == before.cursor)
    #expect(restored.actor == before.actor)
    #expect(restored.unsentCount == 3)
    #expect(restored.outbox.flights.count == 1)
    let hello = try hello(of: restored)
    #expect(hello.actor == before.actor && hello.since == before.cursor)
    #expect(hello.key == before.connection.key && before.connection.key != nil)
    room.hosts = []
    room.join(restored)
    #expect(room.hosts[0].resets == 0)
    #expect(room.hosts[0].replica.unsentCount == 0)
    #expect(room.canvas == before.canvas)
  }

  @Test("a replica that is restored without its drawing starts at the beginning, and loses no edit")
  func withoutDrawing() throws {
    var room = busy()
    let before = room.hosts[0].replica
    let restored = try Replica(saved: before.save(withDrawing: false), seed: 8)
    #expect(restored.cursor == nil)
    #expect(restored.unsentCount == 3)
    room.hosts = []
    room.join(restored)
    #expect(room.hosts[0].resets == 1)
    #expect(room.canvas == before.canvas)
    #expect(room.hosts[0].replica.canvas == before.canvas)
  }

  @Test("a replica saved without its edits sends none of them, and gives none of their stamps to others")
  func withoutEdits() throws {
    var room = busy()
    let before = room.hosts[0].replica
    let confirmed = room.canvas
    var newest = Stamp.never
    before.outbox.forEach { newest = max(newest, $0.operation.at) }
    let restored = try Replica(saved: before.save(withDrawing: false, withEdits: false), seed: 8)
    #expect(restored.unsentCount == 0 && restored.actor == before.actor)
    room.hosts = []
    let ann = room.join(restored)
    #expect(room.canvas == confirmed)
    let shape = room.add(ann)
    room.settle()
    #expect(room.canvas.stamp(of: .kind, in: shape)! > newest)
  }

  @Test("edits restored over an older drawing are all there, and the room sends what changed since")
  func overAnOlderDrawing() throws {
    var (room, ann, shape) = TestRoom.withShape()
    let drawing = room.hosts[ann].replica.save(withDrawing: true)
    room.edit(ann, shape) { $0.rotation = 30 }
    let later = room.add(ann)
    room.settle()
    room.disconnect(ann)
    room.edit(ann, shape) { $0.alpha = 3 }
    let before = room.hosts[ann].replica
    let restored = try Replica(saved: before.save(withDrawing: false), drawing: drawing, seed: 8)
    #expect(restored.actor == before.actor)
    #expect(restored.canvas[shape]?.properties.rotation == 0)
    #expect(restored.canvas[shape]?.properties.alpha == 3)
    #expect(restored.canvas[later] == nil)
    room.hosts = []
    room.join(restored)
    #expect(room.hosts[0].resets == 0)
    #expect(room.hosts[0].replica.canvas == before.canvas)
    #expect(room.canvas == before.canvas)
  }

  /// The page saves drawings and edits at different times, and a machine's clock can be set back.
  @Test("an edit after restoring wins over what the drawing shows, though the drawing is newer than the edits")
  func overANewerDrawing() throws {
    var (room, ann, shape) = TestRoom.withShape()
    let edits = room.hosts[ann].replica.save(withDrawing: false)
    let setBack = room.time
    room.time += 60_000
    let bob = room.join()
    room.edit(bob, shape) { $0.rotation = 10 }
    room.settle()
    let drawing = room.hosts[ann].replica.save(withDrawing: true)
    var restored = try Replica(saved: edits, drawing: drawing, seed: 8)
    let now = Moment(wallMilliseconds: TestHost.epoch + setBack, monotonicMilliseconds: room.time)
    _ = restored.edit([ShapeEdit(shape: shape, set: Properties { $0.rotation = 20 })], at: now)
    #expect(restored.canvas[shape]?.properties.rotation == 20)
  }

  @Test("a new actor starts with another's drawing, without the other's edits")
  func drawingOfAnother() throws {
    var room = busy()
    let before = room.hosts[0].replica
    let restored = try Replica(drawing: before.save(withDrawing: true), seed: 8)
    #expect(restored.actor != before.actor)
    #expect(restored.unsentCount == 0)
    #expect(restored.canvas == before.confirmedCanvas)
    let hello = try hello(of: restored)
    #expect(hello.actor == nil && hello.since == before.cursor)
    #expect(restored.cursor == before.cursor)
    let server = room.canvas
    room.hosts = []
    room.join(restored)
    #expect(room.hosts[0].resets == 0)
    #expect(room.canvas == server)
  }

  @Test("a new actor may start with what another shows, unsent edits included, until it has the room's state")
  func whatAnotherShows() throws {
    var room = busy()
    let before = room.hosts[0].replica
    let server = room.canvas
    let restored = try Replica(drawing: before.saveShown(), seed: 8)
    #expect(before.canvas != server && restored.canvas == before.canvas)
    #expect(restored.unsentCount == 0 && restored.cursor == nil && restored.actor != before.actor)
    // The edits that were saved separately are shown over the saved drawing.
    let own = try Replica(saved: before.save(withDrawing: false), drawing: before.saveShown(), seed: 9)
    #expect(own.canvas == before.canvas && own.unsentCount == before.unsentCount)
    room.hosts = []
    room.join(restored)
    #expect(room.hosts[0].replica.canvas == server)
    #expect(room.canvas == server)
  }

  @Test("saving what was restored gives the same bytes")
  func stable() throws {
    var room = busy()
    // An edit of several shapes goes out as a whole also after that.
    let shapes = room.canvas.shapes.suffix(3).map(\.id)
    room.run(0) { replica, now in
      replica.edit(shapes.map { ShapeEdit(shape: $0, set: Properties { $0.rotation = 30 }) }, at: now)
    }
    let bytes = room.hosts[0].replica.save(withDrawing: true)
    let restored = try Replica(saved: bytes, seed: 1)
    #expect(restored.outbox.waitingEdits.map(\.count) == [1, 1, 3])
    #expect(restored.save(withDrawing: true) == bytes)
  }

  @Test("stamps given after restoring are greater than all given before")
  func clock() throws {
    let room = busy()
    let before = room.hosts[0].replica
    var restored = try Replica(saved: before.save(withDrawing: false), seed: 8)
    let time = before.clock.clock.time
    let stale = Moment(wallMilliseconds: 0, monotonicMilliseconds: 0)
    _ = restored.add(Properties(), at: stale)
    var last: Stamp?
    restored.outbox.forEach { last = $0.operation.at }
    #expect(last.map { $0.time > time } == true)
  }

  @Test("bytes that are cut or changed anywhere are refused with a reason")
  func damaged() {
    let bytes = busy().hosts[0].replica.save(withDrawing: true)
    for length in 0..<bytes.count {
      #expect(throws: SavedReplicaError.self) { try Replica(saved: Array(bytes[..<length]), seed: 1) }
    }
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 0x10
      #expect(throws: SavedReplicaError.self) { try Replica(saved: changed, seed: 1) }
    }
    #expect(throws: SavedReplicaError.unknownVersion(9)) { try Replica(saved: [9] + bytes.dropFirst(), seed: 1) }
    // With a checksum that is right, but with an unknown flag, another's edits, or more than a replica.
    for (index, isRefused) in [(nil, false), (1, true), (7, true), (bytes.count - 8, true)] as [(Int?, Bool)] {
      var body = Array(bytes.dropLast(SavedReplica.checksumBytes))
      if index == body.count { body.append(0) } else if let index { body[index] ^= 0x08 }
      let replica = try? Replica(saved: SavedReplica.withChecksum(body), seed: 1)
      #expect((replica == nil) == isRefused, "\(String(describing: index))")
    }
  }
}
