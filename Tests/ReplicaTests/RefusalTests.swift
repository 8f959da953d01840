import Testing

@testable import CanvasCRDT
@testable import ServerModel
@testable import SyncServer

@Suite("Edits that the room refuses, and those that lose")
struct RefusalTests {
  private func rotated(_ shape: Identifier) -> ShapeEdit {
    return ShapeEdit(shape: shape, set: Properties { $0.rotation = 10 })
  }

  @Test("a refused operation is taken back, its neighbours are sent again without it, and there is nothing to undo")
  func rejection() throws {
    var (room, ann) = TestRoom.withAnn()
    let shapes = [room.add(ann), room.add(ann), room.add(ann)]
    room.settle()
    room.run(ann) { $0.edit(shapes.map(rotated), at: $1) }
    // The test sends a refusal that no server would send. Servers and replicas allow the same values, because both use
    // the same table of properties.
    let sent = try room.hosts[ann].interceptSubmissions()
    let refused = try #require(sent.first?.operations[1].at)
    room.hand(.rejection(Rejection(id: sent[0].id, operation: 1, code: .badValue, message: "not here")), to: ann)
    room.settle()
    #expect(shapes.map { room.hosts[ann].replica.canvas[$0]?.properties.rotation } == [10, 0, 10])
    #expect(room.hosts[ann].rejected.map(\.operation.at) == [refused])
    #expect(room.hosts[ann].rejected.map(\.code) == [.badValue])
    #expect(room.hosts[ann].replica.canvas == room.canvas)
    room.undo(ann)
    #expect(shapes.map { room.hosts[ann].replica.canvas[$0]?.properties.rotation } == [0, 0, 0])
    #expect(room.hosts[ann].replica.unsentCount == 2)
  }

  @Test("of a message that is refused, what the room has sent to everyone counts as stored, and only the rest as lost")
  func refusedAfterItsEcho() throws {
    var (room, ann) = TestRoom.withAnn()
    let shapes = [room.add(ann), room.add(ann)]
    room.settle()
    room.run(ann) { $0.edit(shapes.map(rotated), at: $1) }
    let sent = try room.hosts[ann].interceptSubmissions()
    let stored = try #require(sent.first?.operations.first)
    let echo = CanvasCRDT.Operation(shape: stored.shape, at: try #require(stored.at), set: stored.set)
    room.hand(.operations(Delivery(cursor: room.cursor, operations: [echo])), to: ann)
    room.hand(.rejection(Rejection(id: sent[0].id, code: .badValue, message: "not here")), to: ann)
    #expect(room.hosts[ann].rejected.map(\.operation.shape) == [shapes[1]])
    #expect(shapes.map { room.hosts[ann].replica.canvas[$0]?.properties.rotation } == [10, 0])
  }

  /// Ann brings back Bob's deleted shape and edits it, before either is sent. The server refuses the edit alone.
  @Test("a shape that is brought back has its values, even if an edit right after it is refused")
  func restoredAndEdited() throws {
    var (room, ann, bob) = TestRoom.withAnnAndBob()
    let shape = room.add(bob) { $0.rotation = 30 }
    room.settle()
    room.run(ann) { $0.delete([shape], at: $1) }
    room.settle()
    // Edits now wait until the replica is told that its state is stored.
    _ = room.hosts[ann].reserve()
    room.time += 60_000
    room.undo(ann)
    room.run(ann) { $0.edit([rotated(shape)], at: $1) }
    #expect(try room.hosts[ann].intercept().isEmpty)
    room.keep(ann)
    let sent = try room.hosts[ann].interceptSubmissions()
    #expect(sent.flatMap(\.operations).map(\.set.rotation) == [30, 10])
    room.hand(.rejection(Rejection(id: sent[0].id, operation: 1, code: .badValue, message: "not here")), to: ann)
    room.settle()
    for host in [ann, bob] { #expect(room.hosts[host].replica.canvas[shape]?.properties.rotation == 30) }
  }

  @Test("a full room refuses the new shapes of a message, and takes its edits of others")
  func roomFull() {
    var (room, ann) = TestRoom.withAnn { $0.shapes = 2 }
    let shapes = [room.add(ann), Identifier("new-new-new")!, room.add(ann), Identifier("new-new-two")!]
    room.settle()
    room.run(ann) { replica, now in
      var edits = shapes.map(rotated)
      edits[1].set.kind = .star
      edits[3].set.kind = .star
      return replica.edit(edits, at: now)
    }
    room.settle()
    #expect(shapes.map { room.hosts[ann].replica.canvas[$0]?.properties.rotation } == [10, nil, 10, nil])
    #expect(room.hosts[ann].rejected.map(\.operation.shape) == [shapes[1], shapes[3]])
    #expect(room.hosts[ann].rejected.map(\.code) == [.roomFull, .roomFull])
    #expect(room.refusals(.roomFull) == 1)
    #expect(room.hosts[ann].replica.canvas == room.canvas)
    #expect(room.hosts[ann].replica.canvas.liveCount == 2)
  }

  @Test("W12: beyond a share of the memory new shapes are taken back, beyond a day's quota all of the message")
  func quota() throws {
    var room = TestRoom()
    let ann = room.join()
    let shapes = [room.add(ann), room.add(ann)]
    room.settle()
    var new = rotated(Identifier("new-new-new")!)
    new.set.kind = .star
    var other = new
    other.shape = Identifier("new-new-two")!
    room.run(ann) {
      $0.edit([rotated(shapes[0]), new, other, ShapeEdit(shape: shapes[1], set: .deletion)], at: $1)
    }
    let sent = try room.hosts[ann].interceptSubmissions()
    room.hand(.rejection(Rejection(id: sent[0].id, operation: 1, code: .quotaExceeded, message: "share")), to: ann)
    let rest = try room.hosts[ann].interceptSubmissions()
    #expect(room.hosts[ann].rejected.map(\.operation.shape) == [new.shape, other.shape])
    #expect(rest.map { $0.operations.map(\.shape) } == [shapes])
    room.hand(.rejection(Rejection(id: rest[0].id, code: .quotaExceeded, message: "enough for today")), to: ann)
    #expect(room.hosts[ann].rejected.map(\.operation.shape) == [new.shape, other.shape] + shapes)
    #expect(room.hosts[ann].replica.unsentCount == 0 && room.hosts[ann].replica.canvas == room.canvas)
  }

  @Test("when everything that one did was refused, there is nothing to undo")
  func nothingToUndo() {
    var (room, ann) = TestRoom.withAnn()
    room.disconnect(ann)
    _ = room.add(ann)
    #expect(room.hosts[ann].replica.canUndo)
    // While the client is offline, its token is replaced by one with fewer rights.
    room.roleMax = .viewer
    room.settle(for: 20_000)
    #expect(room.hosts[ann].rejected.map(\.code) == [.readOnly])
    #expect(!room.hosts[ann].replica.canUndo)
    #expect(room.hosts[ann].replica.canvas.isEmpty)
  }

  @Test("when a creation is refused, edits of the shape in the same message are dropped too")
  func refusedCreationOffline() {
    var room = TestRoom { $0.shapes = 0 }
    room.hosts.append(TestHost(Replica(seed: 4)))
    let shape = room.add(0)
    room.edit(0, shape) { $0.text = "hello" }
    room.edit(0, shape) { $0.rotation = 1 }
    room.run(0) { $0.start(at: $1) }
    room.settle()
    #expect(room.log.isEmpty && room.refusals(.roomFull) == 1)
    #expect(room.hosts[0].rejected.count == 3 && room.hosts[0].replica.unsentCount == 0)
  }

  @Test(
    "a refused creation leaves nothing, even if the shape's kind was changed before the answer",
    arguments: [true, false],
    [true, false]
  )
  func refusedCreationOfChangedKind(isSent: Bool, isUndone: Bool) {
    var (room, ann) = TestRoom.withAnn { $0.textBytes = 100 }
    if !isSent { room.disconnect(ann) }
    let shape = room.add(ann) { $0.text = Text(String(repeating: "Moon", count: 50)) }
    room.edit(ann, shape) { $0.kind = .star }
    if isUndone { room.undo(ann) } else { room.edit(ann, shape) { $0.rotation = 1 } }
    room.settle(for: 20_000)
    #expect(room.hosts[ann].rejected.first?.code == .roomFull)
    #expect(room.canvas.liveCount == 0)
    #expect(room.hosts[ann].replica.canvas == room.canvas)
    #expect(room.hosts[ann].replica.unsentCount == 0)
    room.undo(ann)
    #expect(room.hosts[ann].replica.canvas.liveCount == 0)
    #expect(!room.hosts[ann].replica.canUndo)
  }

  @Test(
    "a refused creation of a restored replica leaves nothing either, though the shape's kind was changed since",
    arguments: [true, false]
  )
  func refusedCreationOfRestored(withDrawing: Bool) throws {
    var (room, ann) = TestRoom.withAnn { $0.textBytes = 100 }
    room.disconnect(ann)
    let shape = room.add(ann) { $0.text = Text(String(repeating: "Moon", count: 50)) }
    room.edit(ann, shape) { $0.kind = .star }
    let replica = try Replica(saved: room.hosts[ann].replica.save(withDrawing: withDrawing), seed: 9)
    room.hosts[ann].replica = replica
    room.hosts[ann].checks = ReplicaChecks(replica)
    room.run(ann) { $0.start(at: $1) }
    room.settle(for: 20_000)
    #expect(room.canvas.liveCount == 0)
    #expect(room.hosts[ann].replica.canvas == room.canvas)
  }

  @Test("when a creation is refused, waiting edits of the shape are dropped too")
  func refusedCreation() {
    var (room, ann) = TestRoom.withAnn { $0.shapes = 1 }
    let standing = room.add(ann)
    room.settle()
    let shape = room.add(ann)
    for step in 1..<SendWindow.messagesMax { room.edit(ann, standing) { $0.rotation = Double(step) } }
    room.edit(ann, shape) { $0.rotation = 10 }
    #expect(room.hosts[ann].replica.outbox.waitingCount == 1)
    room.settle()
    #expect(room.hosts[ann].replica.canvas[shape] == nil)
    #expect(room.hosts[ann].rejected.map(\.operation.shape) == [shape, shape])
    #expect(room.hosts[ann].rejected.map(\.code) == [.roomFull, .roomFull])
    // The server has refused only one message, so the edit of the refused shape was never sent.
    #expect(room.refusals(.roomFull) == 1)
    #expect(room.canvas.registers(of: shape).isEmpty)
    #expect(room.canvas[standing]?.properties.rotation == Double(SendWindow.messagesMax - 1))
    #expect(room.hosts[ann].replica.unsentCount == 0)
  }

  @Test(
    "an edit that is refused for its rate, or while the log takes nothing, is kept, and tried again after a pause",
    arguments: [.rateLimited, .unavailable, .storageLow] as [RejectCode]
  )
  func refusedForNow(code: RejectCode) throws {
    var (room, ann) = TestRoom.withAnn()
    let shape = room.add(ann)
    // The test sends this refusal itself, because the client never exceeds the announced rate.
    let sent = try room.hosts[ann].interceptSubmissions()
    room.hand(.rejection(Rejection(id: sent[0].id, code: code, message: "later")), to: ann)
    room.settle()
    #expect(room.hosts[ann].replica.unsentCount == 1)
    #expect(room.hosts[ann].replica.canvas[shape] != nil)
    #expect(room.canvas[shape] == nil)
    #expect(room.hosts[ann].wakeAt.map { $0 > room.time } == true)
    #expect(room.hosts[ann].replica.postponement == Postponement(code: code, message: "later"))
    #expect(!room.hosts[ann].replica.awaitsAnswer)
    var cut = room.hosts[ann].replica
    _ = cut.disconnected(closeCode: nil, at: room.hosts[ann].moment(room.time))
    #expect(cut.postponement == nil, "it may be another server that answers next")
    room.settle(for: Backoff.millisecondsMax)
    #expect(room.hosts[ann].replica.unsentCount == 0)
    #expect(room.hosts[ann].rejected.isEmpty)
    #expect(room.canvas[shape] != nil)
    #expect(room.hosts[ann].replica.postponement == nil)
  }

  @Test(
    "W6: while the disk is low, deletions are sent apart from older edits, which follow when there is space",
    arguments: [true, false]
  )
  func deletionsWhileLow(isOffline: Bool) {
    var room = TestRoom()
    let ann = room.join()
    let shapes = (0..<9).map { _ in room.add(ann) }
    room.settle()
    room.server.allowance = Allowance(payer: nil, bound: .deletions(.storageLow, "low"))
    if isOffline { room.disconnect(ann) }
    for shape in shapes.dropLast(2) {
      room.run(ann) { $0.edit([rotated(shape)], at: $1) }
      if !isOffline { room.settle(for: Backoff.millisecondsMax) }
    }
    room.run(ann) { $0.delete([shapes[7]], at: $1) }
    room.run(ann) { $0.edit([rotated(shapes[0])], at: $1) }
    room.run(ann) { $0.delete([shapes[8]], at: $1) }
    room.settle(for: 4 * Backoff.millisecondsMax)
    #expect(room.canvas.shapes.map(\.id) == shapes.dropLast(2).sorted())
    #expect(room.canvas.shapes.allSatisfy { $0.properties.rotation == 0 })
    room.server.allowance = .all
    room.settle(for: 4 * Backoff.millisecondsMax)
    #expect(room.canvas.shapes.allSatisfy { $0.properties.rotation == 10 })
    #expect(room.hosts[ann].replica.unsentCount == 0 && room.hosts[ann].rejected.isEmpty)
    #expect(room.hosts[ann].replica.canvas == room.canvas)
  }

  @Test("W6: while the disk is low, deletions pass edits that delete and write something else")
  func deletionsPassOthers() {
    var room = TestRoom()
    let ann = room.join()
    let shapes = (0..<9).map { _ in room.add(ann) }
    room.settle()
    room.server.allowance = Allowance(payer: nil, bound: .deletions(.storageLow, "low"))
    for index in 0..<4 {
      let other = ShapeEdit(shape: shapes[index + 4], set: Properties { $0.position = Point(x: 3, y: 3) })
      room.run(ann) { $0.edit([ShapeEdit(shape: shapes[index], set: .deletion), other], at: $1) }
      room.settle(for: Backoff.millisecondsMax)
    }
    room.run(ann) { $0.delete([shapes[8]], at: $1) }
    room.settle(for: 4 * Backoff.millisecondsMax)
    #expect(room.canvas.shapes.map(\.id) == shapes.dropLast().sorted())
  }

  @Test("W6: while the disk is low, everything that the room has can be deleted, though it lacks a shape of one's own")
  func clearWhileLow() {
    var room = TestRoom()
    let ann = room.join()
    for _ in 0..<3 { _ = room.add(ann) }
    room.settle()
    room.server.allowance = Allowance(payer: nil, bound: .deletions(.storageLow, "low"))
    _ = room.add(ann)
    room.settle(for: Backoff.millisecondsMax)
    room.run(ann) { $0.clear(at: $1) }
    room.settle(for: 4 * Backoff.millisecondsMax)
    #expect(room.canvas.liveCount == 0)
    room.server.allowance = .all
    room.settle(for: 4 * Backoff.millisecondsMax)
    #expect(room.hosts[ann].replica.unsentCount == 0 && room.hosts[ann].rejected.isEmpty)
    #expect(room.canvas.liveCount == 0)
  }

  @Test("edits that became too old offline are withdrawn with one refusal for each message on its way")
  func tooOld() {
    var room = TestRoom {
      $0.horizonMilliseconds = 60_000
      $0.operationsPerMessage = 4
    }
    let ann = room.join()
    room.disconnect(ann)
    let old = (0..<100).map { _ in room.add(ann) }
    room.time += 50_000
    let edge = (0..<10).map { _ in room.add(ann) }
    room.time += 10_001
    let new = room.add(ann)
    room.settle(for: 20_000)
    #expect(room.refusals(.tooOld) == UInt64(SendWindow.messagesMax))
    #expect(room.hosts[ann].rejected.count == old.count)
    #expect(Set(room.hosts[ann].rejected.map(\.operation.shape)) == Set(old))
    #expect(room.hosts[ann].rejected.allSatisfy { $0.code == .tooOld })
    #expect(Set(room.canvas.shapes.map(\.id)) == Set(edge + [new]))
    #expect(room.hosts[ann].replica.canvas == room.canvas)
    #expect(room.hosts[ann].replica.unsentCount == 0)
    // A refused creation leaves nothing to undo.
    for _ in 0..<11 { room.undo(ann) }
    #expect(!room.hosts[ann].replica.canUndo)
  }

  @Test("a message that is too old only in part is sent again without that part, once")
  func tooOldInPart() {
    var (room, ann) = TestRoom.withAnn { $0.horizonMilliseconds = 60_000 }
    room.disconnect(ann)
    let old = (0..<50).map { _ in room.add(ann) }
    room.time += 60_001
    let new = (0..<50).map { _ in room.add(ann) }
    room.settle(for: 20_000)
    #expect(room.refusals(.tooOld) == 1)
    #expect(room.hosts[ann].rejected.map(\.operation.shape) == old)
    #expect(room.stored.map { $0.map(\.shape) } == [new])
  }

  @Test("messages that have to be sent again are withdrawn with the one that is too old")
  func tooOldAgain() throws {
    var room = TestRoom {
      $0.horizonMilliseconds = 60_000
      $0.operationsPerMessage = 4
    }
    let ann = room.join()
    room.disconnect(ann)
    for _ in 0..<16 { _ = room.add(ann) }
    room.time += 60_001
    room.greet(ann)
    room.deliverAll(to: ann)
    let sent = try room.hosts[ann].interceptSubmissions()
    for message in sent.dropFirst() {
      room.hand(.rejection(Rejection(id: message.id, code: .unavailable, message: "")), to: ann)
    }
    room.hand(.rejection(Rejection(id: sent[0].id, operation: 0, code: .tooOld, message: "")), to: ann)
    #expect(sent.count == 4 && room.hosts[ann].rejected.count == 16)
    #expect(room.hosts[ann].replica.unsentCount == 0)
  }

  @Test("a message of too many operations is sent again in halves")
  func tooMany() throws {
    var (room, ann) = TestRoom.withAnn()
    room.disconnect(ann)
    for _ in 0..<10 { _ = room.add(ann) }
    room.greet(ann)
    room.deliverAll(to: ann)
    // The server allows fewer operations per message than the `welcome` said.
    var counts: [Int] = []
    while !room.hosts[ann].toServer.isEmpty {
      for submission in try room.hosts[ann].interceptSubmissions() {
        counts.append(submission.operations.count)
        if submission.operations.count > 3 {
          room.hand(.rejection(Rejection(id: submission.id, code: .tooManyOperations, message: "three")), to: ann)
        } else {
          room.deliver(submission, from: ann)
        }
      }
      room.deliverAll(to: ann)
    }
    #expect(counts == [10, 5, 5, 2, 2, 1, 2, 2, 1])
    #expect(room.hosts[ann].rejected.isEmpty)
    #expect(room.hosts[ann].replica.unsentCount == 0)
    #expect(room.canvas.liveCount == 10)
    // A single operation can't be halved.
    _ = room.add(ann)
    let single = try room.hosts[ann].interceptSubmissions()
    room.hand(.rejection(Rejection(id: single[0].id, code: .tooManyOperations, message: "none")), to: ann)
    #expect(room.hosts[ann].rejected.map(\.code) == [.tooManyOperations])
    #expect(room.hosts[ann].replica.unsentCount == 0)
  }

  @Test("a writer whose value had lost learns to whom, by shape and property")
  func superseded() throws {
    var (room, ann, bob, shape) = TestRoom.withTwo()
    let other = room.add(ann)
    room.settle()
    room.run(ann) { $0.edit([rotated(other), rotated(shape)], at: $1) }
    room.time += 10
    room.edit(bob, shape) { $0.rotation = 2 }
    room.deliverToServer(bob)
    room.deliverToServer(ann)
    room.settle()
    #expect(room.hosts[ann].superseded.map(\.shape) == [shape])
    #expect(room.hosts[ann].superseded.map(\.property) == [.rotation])
    #expect(room.hosts[ann].superseded.map(\.by.actor) == [room.hosts[bob].replica.actor])
    #expect(room.hosts[ann].replica.canvas[shape]?.properties.rotation == 2)
    // Undo must not replace the other person's value, which has won.
    room.undo(ann)
    #expect(room.hosts[ann].replica.canvas[shape]?.properties.rotation == 2)
  }
}
