import Testing

@testable import CanvasCRDT
@testable import SyncServer

/// In these tests Ann deletes three shapes, Bob fills the room with others, and then Ann's undo is refused because the
/// room is full.
@Suite struct UndoRefusalTests {
  let ann = 0
  let bob = 1

  /// A room that is full with `shapesMax` shapes.
  func room(_ shapesMax: UInt64) -> TestRoom {
    var room = TestRoom { $0.shapes = shapesMax }
    room.join()
    room.join()
    return room
  }

  /// Lets Ann make three shapes and delete them in one step.
  func deleted(in room: inout TestRoom) -> [Identifier] {
    let shapes = (1...3).map { number in room.add(ann) { $0.rotation = Double(number) } }
    room.settle()
    room.run(ann) { $0.delete(shapes, at: $1) }
    room.settle()
    return shapes
  }

  func add(_ count: Int, to room: inout TestRoom) -> [Identifier] {
    let shapes = (0..<count).map { _ in room.add(bob) }
    room.settle()
    return shapes
  }

  func delete(_ shapes: [Identifier], in room: inout TestRoom) {
    room.run(bob) { $0.delete(shapes, at: $1) }
    room.settle()
  }

  func undo(_ room: inout TestRoom) { room.undo(ann, settles: true) }
  func redo(_ room: inout TestRoom) { room.redo(ann, settles: true) }

  /// Which of the given shapes everybody sees.
  func shown(_ shapes: [Identifier], in room: TestRoom) -> [Identifier] {
    let seen = shapes.filter { room.hosts[bob].replica.canvas.contains($0) }
    #expect(room.hosts[ann].replica.canvas == room.hosts[bob].replica.canvas)
    return seen
  }

  @Test("an undo that the server refuses can be tried again, however often it was refused")
  func again() {
    var room = room(3)
    let shapes = deleted(in: &room)
    let others = add(3, to: &room)
    for round in 1...3 {
      undo(&room)
      #expect(room.hosts[ann].rejected.count == 3 * round)
      #expect(shown(shapes, in: room) == [])
      #expect(!room.hosts[ann].replica.canRedo)
    }
    #expect(room.hosts[ann].rejected.allSatisfy { $0.origin == .undo })
    delete(others, in: &room)
    undo(&room)
    #expect(shown(shapes, in: room) == shapes)
    #expect(room.hosts[ann].rejected.count == 9)
    redo(&room)
    #expect(shown(shapes, in: room) == [])
  }

  @Test("a redo that the server refuses can be tried again")
  func redoAgain() {
    var room = room(3)
    room.beginGroup(ann)
    let shapes = (0..<3).map { _ in room.add(ann) }
    room.endGroup(ann)
    room.settle()
    undo(&room)
    let others = add(3, to: &room)
    for _ in 0..<2 {
      redo(&room)
      #expect(shown(shapes, in: room) == [])
      #expect(!room.hosts[ann].replica.canUndo)
    }
    #expect(room.hosts[ann].rejected.allSatisfy { $0.origin == .redo })
    delete(others, in: &room)
    redo(&room)
    #expect(shown(shapes, in: room) == shapes)
    undo(&room)
    #expect(shown(shapes, in: room) == [])
  }

  @Test("the refused part of a step can be tried again, and the accepted part can be redone")
  func part() {
    var room = room(3)
    let shapes = deleted(in: &room)
    let others = add(2, to: &room)
    undo(&room)
    #expect(shown(shapes, in: room).count == 1)
    redo(&room)
    #expect(shown(shapes, in: room) == [])
    undo(&room)
    #expect(shown(shapes, in: room).count == 1)
    delete(others, in: &room)
    undo(&room)
    #expect(shown(shapes, in: room) == shapes)
    redo(&room)
    redo(&room)
    #expect(shown(shapes, in: room) == [])
    #expect(!room.hosts[ann].replica.canRedo)
  }

  @Test("a step that comes back after further edits lies below them", arguments: [true, false])
  func below(isUndo: Bool) {
    var room = room(4)
    let kept = room.add(ann)
    room.settle()
    let shapes = deleted(in: &room)
    if !isUndo {
      // The four undos revert the deletion and the three creations. The first redo then makes the first shape again.
      for _ in 0..<4 { undo(&room) }
    }
    let others = add(3, to: &room)
    room.run(ann) { isUndo ? $0.undo(at: $1) : $0.redo(at: $1) }
    room.edit(ann, kept) { $0.alpha = 3 }
    room.settle()
    #expect(shown(shapes, in: room) == [])
    #expect(room.hosts[bob].replica.canvas[kept]?.properties.alpha == 3)
    delete(others, in: &room)
    if isUndo {
      undo(&room)
      #expect(room.hosts[bob].replica.canvas[kept]?.properties.alpha == 10)
      #expect(shown(shapes, in: room) == [])
      undo(&room)
      #expect(shown(shapes, in: room) == shapes)
    } else {
      redo(&room)
      #expect(shown(shapes, in: room) == [shapes[0]])
      undo(&room)
      #expect(shown(shapes, in: room) == [])
      #expect(room.hosts[bob].replica.canvas[kept]?.properties.alpha == 3)
    }
  }

  @Test(
    "where an undo and a redo cross the refusal, or came before, the step is where the server left the drawing",
    arguments: [("", "<><."), ("", "<>."), ("<.>.", "<.")]
  )
  func crossing(before: String, whileFull: String) {
    var room = room(3)
    let shapes = deleted(in: &room)
    /// `<` is an undo, `>` a redo, and `.` lets all answers arrive.
    func steps(_ steps: String) {
      for step in steps {
        switch step {
        case "<": room.undo(ann)
        case ">": room.redo(ann)
        default: room.settle()
        }
      }
    }
    steps(before)
    let others = add(3, to: &room)
    steps(whileFull)
    #expect(shown(shapes, in: room) == [])
    #expect(!room.hosts[ann].replica.canRedo)
    delete(others, in: &room)
    undo(&room)
    #expect(shown(shapes, in: room) == shapes)
    redo(&room)
    #expect(shown(shapes, in: room) == [])
  }

  @Test("a refusal that comes after the replica was saved and restored gives the step back", arguments: [0, 1, 2])
  func restored(refusedBefore: Int) throws {
    var room = room(3)
    let shapes = deleted(in: &room)
    let others = add(3, to: &room)
    for _ in 0..<refusedBefore { undo(&room) }
    room.disconnect(ann)
    room.undo(ann)
    let saved = room.hosts[ann].replica
    var replica = try Replica(saved: saved.save(withDrawing: refusedBefore == 1), seed: 9)
    try replica.restoreHistory(saved.saveHistory())
    #expect(replica.saveHistory() == saved.saveHistory())
    let late = room.join(replica)
    #expect(room.hosts[late].rejected.count == 3)
    #expect(shapes.allSatisfy { !room.hosts[late].replica.canvas.contains($0) })
    delete(others, in: &room)
    room.undo(late, settles: true)
    #expect(shapes.allSatisfy { room.hosts[bob].replica.canvas.contains($0) })
  }

  @Test("a refused deletion gives back what an undo had written again, though its first write was refused before")
  func writtenAgain() throws {
    var (room, ann, shape) = TestRoom.withShape()
    room.settle()
    room.edit(ann, shape) { $0.name = "Sun" }
    room.run(ann) { $0.delete([shape], at: $1) }
    room.undo(ann)
    room.run(ann) { $0.delete([shape], at: $1) }
    let sent = try room.hosts[ann].interceptSubmissions()
    func refuse(_ index: Int) {
      room.hand(.rejection(Rejection(id: sent[index].id, operation: 0, code: .badValue, message: "")), to: ann)
    }
    refuse(0)
    room.edit(ann, shape) { ($0.kind, $0.name) = (.star, "Moon") }
    refuse(3)
    #expect(room.hosts[ann].replica.canvas[shape]?.properties.name == "Moon")
    room.undo(ann)
    #expect(room.hosts[ann].replica.canvas[shape]?.properties.name == "Sun")
  }

  /// Ann's client undoes or redoes, and the server accepts `count` of the operations. The client ends before it gets
  /// the answers, and another client continues from an older saved state.
  func endsUnanswered(in room: inout TestRoom, taken count: Int, _ step: (inout Replica, Moment) -> [ReplicaEffect])
    throws
  {
    room.run(ann, step)
    let sent = try room.hosts[ann].interceptSubmissions()
    for submission in sent.prefix(count) { room.deliver(submission, from: ann) }
    let saved = room.hosts[ann].replica
    room.disconnect(ann)
    var replica = try Replica(saved: saved.save(withDrawing: false, withEdits: false), seed: 9)
    try replica.restoreHistory(saved.saveHistory())
    room.hosts[ann] = TestHost(replica)
    room.run(ann) { $0.start(at: $1) }
    room.settle()
  }

  @Test("an undo whose client ended before the answer is done as far as the server took it", arguments: 0...3)
  func ended(taken: Int) throws {
    var room = TestRoom { $0.operationsPerMessage = 1 }
    room.join()
    room.join()
    let shapes = deleted(in: &room)
    try endsUnanswered(in: &room, taken: taken) { $0.undo(at: $1) }
    #expect(shown(shapes, in: room).count == taken)
    #expect(room.hosts[ann].replica.canRedo == (taken > 0))
    if taken < 3 { undo(&room) }
    #expect(shown(shapes, in: room) == shapes)
    // Two undos restored the shapes, so two redos are needed to delete them again.
    redo(&room)
    if taken == 1 || taken == 2 { redo(&room) }
    #expect(shown(shapes, in: room) == [])
    #expect(!room.hosts[ann].replica.canRedo)
    undo(&room)
    #expect(!shown(shapes, in: room).isEmpty)
  }

  @Test("a redo whose client ended before the answer is done as far as the server took it", arguments: 0...3)
  func endedRedoing(taken: Int) throws {
    var room = TestRoom { $0.operationsPerMessage = 1 }
    room.join()
    room.join()
    let shapes = deleted(in: &room)
    undo(&room)
    try endsUnanswered(in: &room, taken: taken) { $0.redo(at: $1) }
    #expect(shown(shapes, in: room).count == 3 - taken)
    #expect(room.hosts[ann].replica.canRedo == (taken < 3))
    if taken < 3 { redo(&room) }
    #expect(shown(shapes, in: room) == [])
    undo(&room)
    if taken == 1 || taken == 2 { undo(&room) }
    #expect(shown(shapes, in: room) == shapes)
  }

  /// Hands Ann's replica a made-up refusal of its oldest unanswered message.
  func refuse(in room: inout TestRoom) {
    room.run(ann) { replica, now in
      let id = MessageIdentifier(replica.outbox.flights[0].id)
      let rejection = Rejection(id: id, operation: 0, code: .badValue, message: "for the sake of the test")
      return replica.received(BinaryEncoding.encode(.rejection(rejection)), isText: false, at: now)
    }
  }

  @Test("refused values of two steps, one over the other, lie as they did before", arguments: [true, false])
  func values(inFlight: Bool) {
    var room = room(9)
    let shape = room.add(ann) { $0.rotation = 1 }
    room.edit(ann, shape) { $0.rotation = 2 }
    room.edit(ann, shape) { $0.rotation = 3 }
    room.settle()
    func rotation() -> Double? { room.hosts[ann].replica.canvas[shape]?.properties.rotation }
    // Both undos write the same single value. If both still wait to be sent, only the second undo's value is sent.
    if !inFlight { room.disconnect(ann) }
    room.undo(ann)
    room.undo(ann)
    if !inFlight {
      room.greet(ann)
      // Delivers only the welcome, after which Ann's client sends the edits.
      room.deliverOne(to: ann)
    }
    #expect(rotation() == 1)
    refuse(in: &room)
    #expect(rotation() == (inFlight ? 1 : 3))
    if inFlight { refuse(in: &room) }
    #expect(rotation() == 3)
    #expect(!room.hosts[ann].replica.canRedo)
    for expected in [2.0, 1] {
      room.undo(ann)
      #expect(rotation() == expected)
    }
    for expected in [2.0, 3] {
      room.redo(ann)
      #expect(rotation() == expected)
    }
  }

  @Test("of two quick undos of one value, the older one can be redone if only the newer one is refused")
  func newerRefused() throws {
    var room = room(9)
    let shape = room.add(ann) { $0.rotation = 1 }
    room.edit(ann, shape) { $0.rotation = 2 }
    room.edit(ann, shape) { ($0.rotation, $0.alpha) = (3, 4) }
    room.settle()
    func values() -> [Double?] {
      let properties = room.hosts[ann].replica.canvas[shape]?.properties
      return [properties?.rotation, properties.map { Double($0.alpha) }]
    }
    // Both undos are one message. The second one's value has replaced the first one's, of which the alpha is left.
    room.disconnect(ann)
    room.undo(ann)
    room.undo(ann)
    room.greet(ann)
    room.deliverOne(to: ann)
    let sent = try room.hosts[ann].interceptSubmissions()
    #expect(sent.map(\.operations.count) == [2])
    room.hand(.rejection(Rejection(id: sent[0].id, operation: 1, code: .badValue, message: "not here")), to: ann)
    room.settle()
    #expect(values() == [3, 10])
    for _ in 0..<2 {
      for expected in [[2.0, 10], [1, 10], [nil, nil]] {
        room.undo(ann)
        #expect(values() == expected)
      }
      #expect(!room.hosts[ann].replica.canUndo)
      for expected in [[1.0, 10], [2, 10], [3, 10], [3, 4]] {
        room.redo(ann)
        #expect(values() == expected)
      }
      #expect(!room.hosts[ann].replica.canRedo)
      room.undo(ann)
    }
  }
}
