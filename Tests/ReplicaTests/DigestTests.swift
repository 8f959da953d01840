import Testing

@testable import CanvasCRDT
@testable import ServerModel
@testable import SyncServer

@Suite("Comparing with the server")
struct DigestTests {
  @Test("the digest reveals a difference, and loading the state again heals it")
  func digest() {
    var (room, ann, shape) = TestRoom.withShape()
    room.run(ann) { $0.askDigest(at: $1) }
    room.settle()
    #expect(room.hosts[ann].verdicts == [.agrees])
    room.hosts[ann].replica.optimistic.shown.forget(shape)
    room.hosts[ann].checks.repaint(room.hosts[ann].replica)
    room.run(ann) { $0.askDigest(at: $1) }
    room.settle(for: 20_000)
    #expect(room.hosts[ann].verdicts == [.agrees, .disagrees])
    #expect(room.hosts[ann].replica.canvas == room.canvas)
    #expect(room.hosts[ann].replica.state == .live)
  }

  @Test("an edit that the server has accepted but not sent back yet is not a difference")
  func digestBeforeTheEcho() throws {
    var (room, ann) = TestRoom.withAnn()
    _ = room.add(ann)
    room.settle()
    room.run(ann) { $0.askDigest(at: $1) }
    _ = try room.hosts[ann].intercept()
    let answer = ServerMessage.digest(cursor: room.cursor, hash: room.canvas.digest)
    _ = room.add(ann)
    let sent = try room.hosts[ann].interceptSubmissions()
    // The server's messages arrive in this order: the answer to the edit, the answer to the digest, the broadcast with
    // the edit.
    room.hand(.acknowledgement(Acknowledgement(id: sent[0].id, cursor: room.cursor)), to: ann)
    room.hand(answer, to: ann)
    #expect(room.hosts[ann].replica.unsentCount == 0)
    #expect(room.hosts[ann].verdicts.isEmpty)
    room.deliver(sent[0], from: ann)
    room.settle(for: 1_000)
    #expect(room.hosts[ann].verdicts == [.agrees])
    #expect(room.hosts[ann].replica.canvas == room.canvas)
  }

  @Test("an edit that is answered after the state and is never sent back is a difference; it is looked for soon")
  func answeredTooLate() throws {
    var (room, ann) = TestRoom.withAnn()
    room.settle()
    let shape = room.add(ann)
    let sent = try room.hosts[ann].interceptSubmissions()
    // Hands the replica a state without the shape. The room would send such a state after the shape was deleted and the
    // deletion was forgotten.
    room.hand(.operations(Delivery(cursor: room.cursor, operations: [], reset: true)), to: ann)
    room.hand(.acknowledgement(Acknowledgement(id: sent[0].id, cursor: room.cursor)), to: ann)
    #expect(room.hosts[ann].replica.canvas[shape] != nil)
    room.settle(for: DigestCheck.intervalMilliseconds / 2)
    #expect(room.hosts[ann].verdicts == [.disagrees])
    #expect(room.hosts[ann].replica.canvas == room.canvas)
  }

  @Test("whoever has asked is told, also where the connection was lost meanwhile, or the room never rests")
  func answered() throws {
    var (room, ann) = TestRoom.withAnn()
    room.run(ann) { $0.askDigest(at: $1) }
    room.disconnect(ann)
    room.settle(for: 20_000)
    #expect(room.hosts[ann].verdicts == [.agrees])
    // An answer to no question says nothing.
    room.hand(.digest(cursor: room.cursor, hash: 0), to: ann)
    #expect(room.hosts[ann].verdicts == [.agrees])
    room.run(ann) { $0.askDigest(at: $1) }
    var questions = 0
    for _ in 0..<20 {
      for case .digest in try room.hosts[ann].intercept() {
        questions += 1
        room.hand(.digest(cursor: Cursor("elsewhere"), hash: 0), to: ann)
      }
      room.time += DigestCheck.pauseMilliseconds
      room.run(ann) { $0.wake(at: $1) }
    }
    #expect(questions == DigestCheck.triesMax)
    #expect(room.hosts[ann].verdicts == [.agrees, .inconclusive] && room.hosts[ann].resets == 1)
  }

  // MARK: Without being asked

  private func forget(_ shape: Identifier, _ host: Int, of room: inout TestRoom) {
    room.hosts[host].replica.optimistic.shown.forget(shape)
    room.hosts[host].checks.repaint(room.hosts[host].replica)
  }

  @Test("a replica that came back asks within seconds, and heals a difference; it keeps what it has not sent")
  func backAgain() {
    var (room, ann, shape) = TestRoom.withShape()
    room.disconnect(ann)
    forget(shape, ann, of: &room)
    room.isLogDown = true
    let unsent = room.add(ann)
    room.run(ann) { $0.start(at: $1) }
    room.settle()
    #expect(room.hosts[ann].replica.state == .live)
    #expect(room.hosts[ann].replica.canvas[shape] == nil, "the cursor was honoured")
    room.settle(for: 30_000)
    #expect(room.hosts[ann].verdicts == [.disagrees])
    #expect(room.hosts[ann].replica.canvas[shape] != nil)
    #expect(room.hosts[ann].replica.canvas[unsent] != nil && room.hosts[ann].replica.unsentCount == 1)
    room.isLogDown = false
    room.settle(for: 30_000)
    #expect(room.hosts[ann].replica.unsentCount == 0)
    #expect(room.hosts[ann].replica.canvas == room.canvas)
  }

  @Test("it asks every few minutes, says nothing where all is well, and heals as often as something goes wrong")
  func everyFewMinutes() {
    var (room, ann) = TestRoom.withAnn()
    let shape = room.add(ann)
    let interval = DigestCheck.intervalMilliseconds + DigestCheck.intervalSpread
    room.settle()
    let resets = room.hosts[ann].resets
    for round in 1...3 {
      let asked = room.server.room.counts.digests
      room.settle(for: 10 * interval)
      let questions = room.server.room.counts.digests - asked
      #expect(questions >= 10 && questions <= 13, "in ten to twelve intervals")
      #expect(room.hosts[ann].resets == resets + round - 1)
      forget(shape, ann, of: &room)
      room.settle(for: interval + 20_000)
      #expect(room.hosts[ann].resets == resets + round)
      #expect(room.hosts[ann].verdicts == Array(repeating: .disagrees, count: round))
      #expect(room.hosts[ann].replica.canvas == room.canvas)
    }
  }

  @Test("if loading the room again doesn't help, it is tried once an hour")
  func neverAgrees() {
    var (room, ann, shape) = TestRoom.withShape()
    let resets = room.hosts[ann].resets
    for _ in 0..<(5 * 60) {
      if room.hosts[ann].replica.canvas[shape] != nil { forget(shape, ann, of: &room) }
      room.settle(for: 60_000)
    }
    #expect((4...5).contains(room.hosts[ann].resets - resets))
    #expect(room.hosts[ann].verdicts.count == room.hosts[ann].resets - resets, "told of only where it is loaded")
  }

  @Test("whoever asks again is told of the difference, though the room isn't loaded again because of it")
  func askedAgain() {
    var (room, ann, shape) = TestRoom.withShape()
    let resets = room.hosts[ann].resets
    for round in 1...2 {
      forget(shape, ann, of: &room)
      room.run(ann) { $0.askDigest(at: $1) }
      room.settle(for: 20_000)
      #expect(room.hosts[ann].verdicts == Array(repeating: .disagrees, count: round))
      #expect(room.hosts[ann].resets == resets + 1)
    }
  }

  @Test("W12: once there are many deletions, those that the server has forgotten are forgotten, and nothing unsent")
  func manyDeletions() {
    var room = TestRoom()
    let ann = room.join()
    room.hosts[ann].replica.erasuresMax = 8
    func addAndDelete(_ count: Int) {
      let shapes = (0..<count).map { _ in room.add(ann) }
      room.run(ann) { $0.delete(shapes, at: $1) }
      room.settle()
    }
    let interval = DigestCheck.intervalMilliseconds + DigestCheck.intervalSpread + 20_000
    let resets = room.hosts[ann].resets
    addAndDelete(8)
    room.server.room.forgetErasures(before: TestHost.epoch + room.time + 1, request: 9)
    room.server.takeEffects()
    room.settle(for: interval)
    #expect(room.hosts[ann].replica.canvas.erasureCount == 8 && room.canvas.erasureCount == 0)
    addAndDelete(1)
    room.isLogDown = true
    let unsent = room.add(ann)
    room.settle(for: interval)
    #expect(room.hosts[ann].resets == resets + 1 && room.hosts[ann].verdicts.isEmpty)
    #expect(room.hosts[ann].replica.canvas.erasureCount == 1)
    room.isLogDown = false
    room.settle(for: 20_000)
    #expect(room.canvas.shapes.map(\.id) == [unsent] && room.hosts[ann].replica.canvas == room.canvas)
    // Where the server remembers more itself, the state is loaded once.
    room.hosts[ann].replica.erasuresMax = 8
    addAndDelete(20)
    room.settle(for: 5 * interval)
    #expect(room.hosts[ann].resets == resets + 2)
    #expect(room.hosts[ann].replica.canvas.erasureCount == 21)
  }

  @Test("those who come back together ask at different times")
  func spread() {
    var room = TestRoom()
    let hosts = (0..<20).map { _ in room.join() }
    for host in hosts { room.disconnect(host) }
    for host in hosts { room.run(host) { $0.start(at: $1) } }
    room.settle()
    let times = hosts.compactMap { room.hosts[$0].replica.digestCheck.dueAt }
    #expect(times.count == 20)
    #expect(times.allSatisfy { $0 >= room.time + DigestCheck.returnMilliseconds })
    #expect((times.max() ?? 0) - (times.min() ?? 0) > DigestCheck.returnSpread / 2)
    let interval = DigestCheck.intervalMilliseconds
    room.settle(for: DigestCheck.returnMilliseconds + DigestCheck.returnSpread)
    let later = hosts.compactMap { room.hosts[$0].replica.digestCheck.dueAt }
    #expect(later.allSatisfy { $0 >= room.time + interval - DigestCheck.returnSpread })
    #expect((later.max() ?? 0) - (later.min() ?? 0) > DigestCheck.intervalSpread / 2)
  }

  @Test("in a room that never rests it gives up until the next time, and says nothing")
  func busyRoom() throws {
    var (room, ann) = TestRoom.withAnn()
    room.settle()
    var questions = 0
    let end = room.time + DigestCheck.intervalMilliseconds + DigestCheck.intervalSpread + 20_000
    while let due = room.hosts[ann].replica.wakeAt, due <= end {
      room.time = max(room.time, due)
      room.run(ann) { $0.wake(at: $1) }
      for case .digest in try room.hosts[ann].intercept() {
        questions += 1
        room.hand(.digest(cursor: Cursor("elsewhere"), hash: 0), to: ann)
      }
    }
    #expect(questions == DigestCheck.triesMax)
    #expect(room.hosts[ann].verdicts.isEmpty && room.hosts[ann].resets == 1)
    room.settle(for: DigestCheck.intervalMilliseconds + DigestCheck.intervalSpread)
    #expect(room.server.room.counts.digests == 1)
  }
}
