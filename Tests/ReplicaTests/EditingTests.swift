import Testing

@testable import CanvasCRDT
@testable import SyncServer

@Suite("Edits, from the screen to the room")
struct EditingTests {
  @Test("an edit is shown at once, and confirmed when the server has answered")
  func optimistic() {
    var (room, ann) = TestRoom.withAnn()
    let shape = room.add(ann) { $0.rotation = 30 }
    #expect(room.hosts[ann].replica.canvas[shape]?.properties.rotation == 30)
    #expect(room.hosts[ann].replica.confirmedCanvas[shape] == nil)
    #expect(room.hosts[ann].replica.unsentCount == 1)
    room.settle()
    #expect(room.hosts[ann].replica.confirmedCanvas[shape]?.properties.rotation == 30)
    #expect(room.hosts[ann].replica.unsentCount == 0)
    #expect(room.hosts[ann].replica.optimistic.base.isEmpty)
    let told = room.hosts[ann].effects.compactMap { if case .unsent(let count) = $0 { count } else { nil } }
    #expect(told == [1, 0])
  }

  @Test("the others see what one person draws, and who drew it")
  func others() {
    var (room, ann, bob, shape) = TestRoom.withTwo()
    #expect(room.hosts[bob].replica.canvas[shape] != nil)
    func told() -> [(shapes: [UInt64], by: ChangeOrigin)] {
      room.hosts[bob].effects.compactMap { effect in
        guard case .changed(let changes, let origin) = effect else { return nil }
        return (changes.map(\.shape.packed), origin)
      }
    }
    let own = room.hosts[bob].replica.actor
    let writers = [room.hosts[ann].replica.actor, Identifier("zoe-zoe-zoe")!]
    #expect(told().map(\.by) == [.remote(writers[0])])
    // What several people wrote can come together, and one's own from another connection.
    let operations = [writers[1], writers[1], writers[0], own].enumerated().map { index, writer in
      Operation(shape: Identifier(packed: UInt64(index))!, at: Stamp(time: 1 << 40, actor: writer), set: .star)
    }
    room.hand(.operations(Delivery(cursor: Cursor("later"), operations: operations)), to: bob)
    #expect(told().dropFirst().map(\.by) == [.remote(writers[1]), .remote(writers[0]), .own])
    #expect(told().dropFirst().map(\.shapes) == [[0, 1], [2], [3]])
  }

  @Test("a deletion with a position reports where the shape went, for one's own edits and others'")
  func departure() throws {
    var (room, ann) = TestRoom.withAnn()
    let mine = room.add(ann)
    let theirs = room.add(ann)
    room.settle()
    var set = Properties()
    set.position = Point(x: 7, y: 9)
    set.delete()
    room.run(ann) { $0.edit([ShapeEdit(shape: mine, set: set)], at: $1) }
    let stamp = try #require(Stamp(milliseconds: TestHost.epoch + 99_000, counter: 0, actor: theirs))
    let delivery = Delivery(cursor: Cursor("later"), operations: [Operation(shape: theirs, at: stamp, set: set)])
    room.run(ann) { $0.received(BinaryEncoding.encode(.operations(delivery)), isText: false, at: $1) }
    #expect(room.hosts[ann].departures == [mine, theirs].map { ShapeEdit(shape: $0, set: set) })
    #expect(room.hosts[ann].replica.canvas.liveCount == 0)
  }

  /// Adds a line that is tied to the top left corner of a shape.
  private func addLine(from start: Point, to shape: Identifier, by host: Int, in room: inout TestRoom) -> Identifier {
    room.add(host) { set in
      set.kind = .line
      set.position = start
      set.to = Tie(shape: shape, place: BoxPlace(x: 0, y: 0))
    }
  }

  @Test("S14: deleting a shape writes where lines end that were tied to it, and undo ties them again")
  func endsOfLines() throws {
    var (room, ann) = TestRoom.withAnn()
    let square = room.add(ann) { $0.position = Point(x: 400, y: 0) }
    let line = addLine(from: Point(x: 0, y: 0), to: square, by: ann, in: &room)
    let free = room.add(ann) { $0.kind = .line }
    func drawn(_ host: Int) throws -> [Point] {
      let canvas = room.hosts[host].replica.canvas
      return try #require(canvas[line]).drawn { canvas[$0] }.pathPoints
    }
    let tied = [Point(x: 0, y: 0), Point(x: 400, y: 0)]
    #expect(try drawn(ann) == tied)
    room.run(ann) { $0.delete([square], at: $1) }
    room.settle()
    #expect(try drawn(ann) == tied)
    #expect(room.canvas[line]?.properties.to?.shape == square, "the tie stays")
    #expect(room.stored.last?.map(\.shape) == [line, square], "another message may have the deletion")
    #expect(room.canvas.stamp(of: .path, in: free) == nil)
    room.undo(ann)
    room.edit(ann, square) { $0.position = Point(x: 0, y: 900) }
    #expect(try drawn(ann) == [Point(x: 0, y: 0), Point(x: 0, y: 900)])
    // The line is tied to a shape, and both are deleted together. Then nothing more is written to the line.
    room.settle()
    let count = room.log.count
    room.run(ann) { $0.delete([square, line], at: $1) }
    room.settle()
    #expect(room.log.count == count + 2)
  }

  @Test(
    "S14: an undo or redo that deletes a shape writes where lines end that others have tied to it",
    arguments: [true, false]
  )
  func endsOfLinesAfter(isUndo: Bool) throws {
    var (room, ann, bob) = TestRoom.withAnnAndBob()
    let shape = room.add(ann) { $0.position = Point(x: 400, y: 0) }
    room.settle()
    if !isUndo {
      room.run(ann) { $0.delete([shape], at: $1) }
      room.undo(ann, settles: true)
    }
    let line = addLine(from: Point(x: 0, y: 0), to: shape, by: bob, in: &room)
    room.settle()
    if isUndo { room.undo(ann, settles: true) } else { room.redo(ann, settles: true) }
    #expect(room.canvas[shape] == nil)
    let drawn = try #require(room.canvas[line]).drawn { room.canvas[$0] }.pathPoints
    #expect(drawn == [Point(x: 0, y: 0), Point(x: 400, y: 0)])
    #expect(room.hosts[ann].replica.canvas == room.canvas)
  }

  @Test("S14: redo of a step that moved and deleted a shape leaves its lines where the step did")
  func endsOfLinesRedone() {
    var (room, ann) = TestRoom.withAnn()
    let shape = room.add(ann) { $0.position = Point(x: 400, y: 0) }
    let line = addLine(from: Point(x: 0, y: 0), to: shape, by: ann, in: &room)
    room.hosts[ann].replica.beginGroup()
    room.edit(ann, shape) { $0.position = Point(x: 600, y: 0) }
    room.run(ann) { $0.delete([shape], at: $1) }
    room.hosts[ann].replica.endGroup()
    room.undo(ann, settles: true)
    room.redo(ann, settles: true)
    #expect(room.canvas[line]?.drawn { room.canvas[$0] }.pathPoints == [Point(x: 0, y: 0), Point(x: 600, y: 0)])
  }

  @Test("S14: an edit that moves a line and deletes the shape that it is tied to leaves the end at that shape")
  func endsOfMovedLines() {
    var room = TestRoom()
    let ann = room.join()
    let shape = room.add(ann) { $0.position = Point(x: 400, y: 0) }
    let line = addLine(from: Point(x: 0, y: 0), to: shape, by: ann, in: &room)
    let moved = ShapeEdit(shape: line, set: Properties { $0.position = Point(x: 0, y: 100) })
    room.run(ann) { $0.edit([moved, ShapeEdit(shape: shape, set: .deletion)], at: $1) }
    room.settle()
    #expect(room.canvas[line]?.drawn { room.canvas[$0] }.pathPoints == [Point(x: 0, y: 100), Point(x: 400, y: 0)])
  }

  @Test("a long drag without a connection is one operation, and its creation another")
  func offlineDrag() {
    var (room, ann) = TestRoom.withAnn()
    room.disconnect(ann)
    let shape = room.add(ann) { $0.position = Point(x: 0, y: 0) }
    for step in 1...1_000 { room.edit(ann, shape) { $0.position = Point(x: Double(step), y: 0) } }
    #expect(room.hosts[ann].replica.unsentCount == 2)
    room.settle(for: 60_000)
    #expect(room.canvas[shape]?.properties.position == Point(x: 1_000, y: 0))
    #expect(room.log.count == 2)
  }

  @Test("an edit that was sent is left as it is")
  func inFlightIsKept() {
    var (room, ann) = TestRoom.withAnn()
    let shape = room.add(ann)
    for step in 1...20 { room.edit(ann, shape) { $0.rotation = Double(step) } }
    // At most four messages may be in flight. The later edits were merged into one operation, which waits.
    #expect(room.hosts[ann].replica.outbox.flights.count == SendWindow.messagesMax)
    #expect(room.hosts[ann].replica.unsentCount == SendWindow.messagesMax + 1)
    room.settle()
    #expect(room.log.map(\.set.rotation) == [0, 1, 2, 3, 20])
  }

  @Test("after a lost answer the same operations are sent again with the same stamps, and change nothing")
  func lostAnswer() {
    var (room, ann) = TestRoom.withAnn()
    let shape = room.add(ann)
    room.deliverToServer(ann)
    let canvas = room.canvas
    let stamp = room.log[0].at
    room.disconnect(ann)
    #expect(room.hosts[ann].replica.unsentCount == 1)
    room.settle(for: 60_000)
    #expect(room.hosts[ann].replica.unsentCount == 0)
    #expect(room.stored.map { $0.map(\.at) } == [[stamp], [stamp]])
    #expect(room.canvas == canvas)
    #expect(room.hosts[ann].replica.canvas[shape] != nil)
  }

  @Test("a message that arrives twice counts once, and only its first answer counts")
  func arrivesTwice() throws {
    var (room, ann) = TestRoom.withAnn()
    let shape = room.add(ann)
    let sent = try room.hosts[ann].interceptSubmissions()
    room.deliver(sent[0], from: ann)
    room.deliverAll(to: ann)
    #expect(room.hosts[ann].replica.unsentCount == 0)
    let canvas = room.canvas
    room.deliver(sent[0], from: ann)
    #expect(room.stored.count == 2)
    #expect(room.canvas == canvas)
    // The room answers the first message twice. The second answer must not count as the answer to the newer message.
    room.edit(ann, shape) { $0.rotation = 3 }
    room.deliverAll(to: ann)
    #expect(room.hosts[ann].replica.unsentCount == 1)
    room.settle()
    #expect(room.hosts[ann].replica.unsentCount == 0)
    #expect(room.canvas[shape]?.properties.rotation == 3)
  }

  @Test("a drag in a group is one step to undo, whatever the connection does meanwhile")
  func groupedDrag() {
    var (room, ann) = TestRoom.withAnn()
    let shape = room.add(ann) { $0.position = Point(x: 0, y: 0) }
    room.settle()
    room.hosts[ann].replica.beginGroup()
    for step in 1...6 {
      room.edit(ann, shape) { $0.position = Point(x: Double(step), y: 0) }
      if step == 3 { room.disconnect(ann) } else { room.settle(for: 1_000) }
    }
    room.hosts[ann].replica.endGroup()
    room.undo(ann, settles: true)
    #expect(room.canvas[shape]?.properties.position == Point(x: 0, y: 0))
    room.redo(ann, settles: true)
    #expect(room.canvas[shape]?.properties.position == Point(x: 6, y: 0))
    #expect(room.hosts[ann].replica.canvas == room.canvas)
  }

  @Test("edits made together stay in one message where the limits allow, and are split only where they must be")
  func messages() {
    var room = TestRoom { $0.operationsPerMessage = 4 }
    var random = SeededGenerator(seed: 9)
    let ann = room.join()
    room.disconnect(ann)
    for count in [3, 2, 9, 1] {
      var edits: [ShapeEdit] = []
      for _ in 0..<count {
        edits.append(ShapeEdit(shape: .random(using: &random), set: .star))
      }
      room.run(ann) { $0.edit(edits, at: $1) }
    }
    room.settle(for: 60_000)
    #expect(room.stored.map(\.count) == [3, 2, 4, 4, 2])
  }

  @Test("no more operations per second are sent than the room allows, and the rest follow later")
  func rate() {
    var (room, ann) = TestRoom.withAnn { $0.operationsPerSecond = 10 }
    for _ in 0..<35 {
      _ = room.add(ann)
      room.settle()
    }
    #expect(room.log.count == 10)
    room.settle(for: 1_000)
    #expect((15...25).contains(room.log.count))
    room.settle(for: 3_000)
    #expect(room.log.count == 35)
  }

  @Test("a value that is not allowed is refused before it is shown")
  func badValue() {
    var (room, ann) = TestRoom.withAnn()
    let shape = room.add(ann)
    room.edit(ann, shape) { $0.alpha = 11 }
    #expect(room.hosts[ann].replica.canvas[shape]?.properties.alpha == 10)
    #expect(room.hosts[ann].rejected.map(\.code) == [.badValue])
    // Of values that are written together, all are written or none.
    let alphas = [3, 11] as [Int16]
    room.run(ann) { replica, now in
      replica.edit(alphas.map { alpha in ShapeEdit(shape: shape, set: Properties { $0.alpha = alpha }) }, at: now)
    }
    #expect(room.hosts[ann].replica.canvas[shape]?.properties.alpha == 10)
    #expect(room.hosts[ann].rejected.map(\.operation.set.alpha) == [11, 11])
    #expect(room.hosts[ann].rejected.allSatisfy { $0.message == PropertyProblem(.alpha).message })
  }

  @Test("a viewer can't edit")
  func readonly() {
    var room = TestRoom()
    let ann = room.join(Replica(configuration: ReplicaConfiguration { $0.readonly = true }, seed: 5))
    _ = room.add(ann)
    #expect(room.hosts[ann].replica.canvas.isEmpty)
    #expect(room.hosts[ann].rejected.map(\.code) == [.readOnly])
    // Who becomes a viewer keeps what was done before, and can neither undo nor redo it.
    var (other, bob, shape) = TestRoom.withShape()
    other.edit(bob, shape) { $0.rotation = 1 }
    other.edit(bob, shape) { $0.rotation = 2 }
    other.undo(bob, settles: true)
    other.beginGroup(bob)
    other.edit(bob, shape) { $0.alpha = 4 }
    other.settle()
    other.roleMax = .viewer
    other.disconnect(bob)
    other.settle(for: 20_000)
    let before = other.canvas
    other.run(bob) { $0.abandonStep(at: $1) }
    other.undo(bob)
    other.redo(bob)
    #expect(other.hosts[bob].replica.canvas == before && other.hosts[bob].replica.unsentCount == 0)
    #expect(other.hosts[bob].replica.history.openGroups == 0, "the gesture is over")
    #expect(other.hosts[bob].replica.canUndo)
  }
}
