import CanvasCRDT
import Testing

@testable import ServerModel
@testable import SyncServer

@Suite("The way of operations into a room")
struct RoomsDoorTests {
  @Test(
    "W4, D6: an operation is told to nobody, its writer included, before the log hands it back",
    arguments: WireEncoding.allCases
  )
  func durableFirst(encoding: WireEncoding) {
    var bench = RoomBench()
    let writer = bench.join(encoding)
    let reader = bench.join()
    bench.settle()
    let before = bench.room.cursor
    bench.write(writer, bench.shape(1)) { $0.kind = .star }
    bench.room.flush(now: bench.now)
    bench.send()
    #expect(bench.clients[reader].canvas.isEmpty)
    #expect(bench.acknowledgements(writer).isEmpty)
    bench.settle()
    #expect(bench.acknowledgements(writer).map { $0.cursor } == [bench.room.cursor])
    #expect(bench.room.cursor != before)
    bench.expectCaughtUp(reader)
    bench.expectCaughtUp(writer)
    #expect(bench.clients[reader].canvas.liveCount == 1)
  }

  @Test("W2: at must name the connection's actor")
  func foreignStamp() {
    var (bench, writer) = RoomBench.withWriter()
    let stamp = Stamp(milliseconds: RoomBench.epoch, counter: 0, actor: bench.shape(99))
    bench.settle(writer, 1, at: stamp) { $0.kind = .star }
    #expect(bench.rejections(writer) == [.badStamp])
    #expect(bench.room.canvas.isEmpty)
  }

  @Test("W6: stamps are as new as the clock allows and as old as the horizon does")
  func standings() {
    var (bench, writer) = RoomBench.withWriter()
    let cases: [(Int64, RejectCode?)] = [
      (60_000, nil), (60_001, .clockAhead), (-2_592_000_000, nil), (-2_592_000_001, .tooOld),
    ]
    for (shift, code) in cases {
      let before = bench.rejections(writer).count
      // One millisecond is added, because the clock advances before the room checks the stamp.
      let milliseconds = UInt64(Int64(bench.now.wallMilliseconds + 1) + shift)
      let stamp = Stamp(milliseconds: milliseconds, counter: 0, actor: bench.actor(writer))
      bench.settle(writer, 1, at: stamp) { $0.kind = .star }
      #expect(Array(bench.rejections(writer).dropFirst(before)) == (code.map { [$0] } ?? []), "\(shift)")
    }
  }

  @Test("W3: of a message with one bad operation nothing is applied")
  func whole() {
    var (bench, writer) = RoomBench.withWriter()
    let stamp = Stamp(milliseconds: RoomBench.epoch + 900_000, counter: 0, actor: bench.actor(writer))
    let rejection = bench.submit(writer, id: 4, [ProposedOperation(1, .star), ProposedOperation(2, .star, at: stamp)])
    bench.settle()
    #expect(rejection?.operation == 1)
    #expect(rejection?.id == MessageIdentifier(4))
    #expect(bench.log.isEmpty)
    #expect(bench.room.canvas.isEmpty)
  }

  @Test("W2, D8: the server stamps what its writer has not, later than all that the room has")
  func unstamped() {
    var bench = RoomBench()
    let writer = bench.join(.json)
    let other = bench.join()
    // The clock of the other client is fast.
    let fast = Stamp(milliseconds: bench.now.wallMilliseconds + 50_000, counter: 9, actor: bench.actor(other))
    bench.settle(other, 1, at: fast) { ($0.kind, $0.alpha) = (.star, 2) }
    for alpha in [Int16(3), 4, 5] {
      bench.submit(writer, [ProposedOperation(1, Properties { $0.alpha = alpha })])
      // The value 5 is sent before the value 4 is stored.
      if alpha != 4 { bench.settle() }
    }
    #expect(bench.room.canvas[bench.shape(1)]?.properties.alpha == 5)
    #expect(bench.room.canvas.stamp(of: .alpha, in: bench.shape(1))?.actor == bench.actor(writer))
    #expect(bench.acknowledgements(writer).allSatisfy { $0.superseded.isEmpty })
    #expect(Set(bench.log.flatMap { $0.operations.map { $0.at } }).count == 4)
    bench.expectCaughtUp(other)
  }

  @Test("D8: an operation without a stamp is later than those before it in its message")
  func unstampedBehindStamped() {
    var bench = RoomBench()
    let writer = bench.join(.json)
    let fast = Stamp(milliseconds: bench.now.wallMilliseconds + 50_000, counter: 0, actor: bench.actor(writer))
    let first = Properties { ($0.kind, $0.alpha) = (.star, 2) }
    bench.submit(writer, [ProposedOperation(1, first, at: fast), ProposedOperation(1, Properties { $0.alpha = 3 })])
    bench.settle()
    #expect(bench.room.canvas[bench.shape(1)]?.properties.alpha == 3)
  }

  @Test("W4, M8: an answer names what had already lost, and to whom")
  func superseded() {
    var bench = RoomBench()
    let first = bench.join()
    let second = bench.join(.json)
    bench.write(first, bench.shape(1)) { $0.kind = .star }
    let winner = bench.write(first, bench.shape(1)) { $0.alpha = 5 }
    let late = Stamp(milliseconds: winner.milliseconds - 1, counter: 0, actor: bench.actor(second))
    bench.settle(second, 1, id: 8, at: late) { ($0.alpha, $0.rotation) = (6, 3) }
    let answer = bench.acknowledgements(second)
    #expect(answer.map { $0.id } == [MessageIdentifier(8)])
    #expect(answer.first?.superseded == [Superseded(operation: 0, property: .alpha, by: winner)])
    #expect(bench.room.canvas[bench.shape(1)]?.properties.rotation == 3)
  }

  @Test("W4: an answer lists only as many lost values as fit into a message")
  func manySuperseded() {
    var bench = RoomBench { $0.messageBytes = 2_048 }
    let first = bench.join()
    let second = bench.join(.json)
    bench.write(first, bench.shape(1)) { $0.kind = .star }
    let winner = bench.write(first, bench.shape(1)) { $0.alpha = 5 }
    let late = Stamp(milliseconds: winner.milliseconds - 1, counter: 0, actor: bench.actor(second))
    let lost = ProposedOperation(1, Properties { $0.alpha = 6 }, at: late)
    bench.submit(second, Array(repeating: lost, count: 20))
    bench.settle()
    #expect(bench.rejections(second).isEmpty)
    let superseded = bench.acknowledgements(second).last?.superseded ?? []
    #expect(superseded.map(\.operation) == Array(0..<16))
  }

  @Test("W6: a room is full with its shapes, those on their way among them")
  func roomFull() {
    var (bench, writer) = RoomBench.withWriter { $0.shapes = 3 }
    for number in 1...2 { bench.write(writer, bench.shape(UInt64(number))) { $0.kind = .star } }
    bench.write(writer, bench.shape(3)) { $0.kind = .star }
    bench.write(writer, bench.shape(4)) { $0.kind = .star }
    #expect(bench.waiting.count == 3)
    // Shapes that exist, or whose creation is pending, can still be edited.
    bench.settle(writer, 3) { $0.alpha = 3 }
    #expect(bench.rejections(writer) == [.roomFull])
    bench.write(writer, bench.shape(1)) { $0.alpha = 4 }
    bench.settle(writer, 1) { $0.delete() }
    bench.settle(writer, 5) { $0.kind = .star }
    #expect(bench.rejections(writer) == [.roomFull])
    #expect(bench.room.canvas.shapeCount == 3)
  }

  @Test("W6: a message's deletions make room for its new shapes, unless it brings the deleted ones back")
  func replacing() {
    var (bench, writer) = RoomBench.withWriter { $0.shapes = 2 }
    bench.makeStars(writer, 1...2)
    let deletion = Properties {
      $0.position = Point(x: 5, y: 5)
      $0.delete()
    }
    #expect(bench.submit(writer, [ProposedOperation(3, .star), ProposedOperation(1, deletion)]) == nil)
    bench.settle()
    #expect(bench.room.canvas.shapes.map { $0.id } == [bench.shape(2), bench.shape(3)])
    let stars = [ProposedOperation(2, .star), ProposedOperation(4, .star)]
    #expect(bench.submit(writer, [ProposedOperation(2, deletion)] + stars)?.code == .roomFull)
    // This deletion is older than the shape's values and deletes nothing, so it frees no space.
    let old = Stamp(milliseconds: RoomBench.epoch - 50, counter: 0, actor: bench.actor(writer))
    let late = ProposedOperation(2, deletion, at: old)
    #expect(bench.submit(writer, [late, ProposedOperation(4, .star)])?.code == .roomFull)
  }

  @Test("W6: late edits of deleted shapes are no shapes, and have a bound of their own")
  func remnants() {
    var (bench, writer) = RoomBench.withWriter { $0.shapes = 2 }
    func leaveRemnant(_ number: UInt64) {
      bench.write(writer, bench.shape(number)) { $0.kind = .star }
      bench.write(writer, bench.shape(number)) { $0.delete() }
      bench.settle(writer, number) { $0.alpha = 3 }
    }
    for number: UInt64 in 1...2 { leaveRemnant(number) }
    #expect(bench.room.canvas.shapeCount == 2 && bench.room.canvas.liveCount == 0)
    bench.makeStars(writer, 3...4)
    #expect(bench.rejections(writer) == [])
    #expect(bench.room.canvas.liveCount == 2)
    // The room is full now, so a deleted shape can't be restored.
    bench.settle(writer, 1) { $0.kind = .star }
    #expect(bench.rejections(writer) == [.roomFull])
    for number: UInt64 in 3...4 { bench.write(writer, bench.shape(number)) { $0.delete() } }
    for number: UInt64 in 3...4 { bench.write(writer, bench.shape(number)) { $0.alpha = 3 } }
    bench.settle()
    #expect(bench.rejections(writer) == [.roomFull, .roomFull, .roomFull])
    #expect(bench.room.canvas.shapeCount == 2 && bench.room.canvas.liveCount == 0)
    bench.write(writer, bench.shape(1)) { $0.delete() }
    bench.settle(writer, 3) { $0.alpha = 3 }
    #expect(bench.rejections(writer) == [.roomFull, .roomFull, .roomFull])
  }

  @Test("W12: a deletion that an edit outlives, or might, counts as an edit of a shape that is not there")
  func outlivedDeletion() throws {
    var (bench, writer) = RoomBench.withWriter()
    let made = bench.settle(writer, 1) { $0.kind = .star }
    let times = [2, 1].map { Stamp(milliseconds: made.milliseconds + $0, counter: 0, actor: made.actor)! }
    let edit = ProposedOperation(1, Properties { $0.alpha = 3 }, at: times[0])
    let deletion = ProposedOperation(1, .deletion, at: times[1])
    var fullness = Fullness(limits: bench.limits)
    func use(_ message: [ProposedOperation]) throws -> MemoryUse {
      try fullness.check(message, on: bench.room.canvas, isLogInDoubt: false)
    }
    #expect(try use([deletion]) == MemoryUse())
    #expect(try use([edit, deletion]).remnants == 1)
    _ = fullness.add([Operation(shape: edit.shape, at: times[0], set: edit.set)], batch: 1, on: bench.room.canvas)
    #expect(try use([deletion]) == MemoryUse(mayOutlive: 1))
    fullness.remove([], batch: 1, on: bench.room.canvas)
    #expect(try use([deletion]) == MemoryUse())
  }

  @Test("W6: deletions that edits outlive are bounded")
  func boundOfOutlived() {
    var (bench, writer) = RoomBench.withWriter { $0.shapes = 2 }
    for number: UInt64 in 1...3 {
      let made = bench.settle(writer, number) { $0.kind = .star }
      let times = [2, 1].map { Stamp(milliseconds: made.milliseconds + $0, counter: 0, actor: made.actor)! }
      bench.write(writer, bench.shape(number), at: times[0]) { $0.alpha = 3 }
      bench.settle()
      bench.write(writer, bench.shape(number), at: times[1]) { $0.delete() }
      bench.settle()
    }
    #expect(bench.rejections(writer) == [.roomFull])
    #expect(bench.room.canvas.shapeCount == 3 && bench.room.canvas.liveCount == 1)
    // The refusal names the deletion that leaves an edit behind, not one that leaves nothing.
    bench.settle(writer, 4) { $0.kind = .star }
    bench.pass(20)
    let late = Stamp(milliseconds: bench.now.wallMilliseconds, counter: 0, actor: bench.actor(writer))!
    bench.settle(writer, 3) { $0.alpha = 5 }
    let message = [ProposedOperation(3, .deletion, at: late), ProposedOperation(4, .deletion)]
    #expect(bench.submit(writer, message)?.operation == 0)
  }

  @Test("W6: edits of shapes that never were, which nobody sees, keep nobody from drawing")
  func editsOfNothing() {
    var (bench, writer) = RoomBench.withWriter { $0.shapes = 3 }
    for number: UInt64 in 1...9 { bench.write(writer, bench.shape(number)) { $0.alpha = 1 } }
    bench.settle()
    #expect(bench.room.canvas.shapeCount == 3)
    #expect(bench.rejections(writer) == Array(repeating: .roomFull, count: 6))
    for number: UInt64 in 11...13 { bench.write(writer, bench.shape(number)) { $0.kind = .star } }
    // Existing shapes may be deleted and then restored.
    bench.write(writer, bench.shape(12)) { $0.delete() }
    bench.settle(writer, 1) { $0.kind = .star }
    #expect(bench.rejections(writer).count == 6)
    #expect(bench.room.canvas.liveCount == 3)
  }

  @Test("new shapes leave room for the memory of their deletion, and what was erased may be erased again")
  func erasuresOfShapes() {
    var (bench, writer) = RoomBench.withWriter { $0.erasures = 2 }
    var last: Stamp?
    for number in 1...2 {
      bench.write(writer, bench.shape(UInt64(number))) { $0.kind = .star }
      last = bench.write(writer, bench.shape(UInt64(number))) { $0.delete() }
      bench.settle()
    }
    bench.settle(writer, 3) { $0.kind = .star }
    #expect(bench.rejections(writer) == [.roomFull])
    bench.write(writer, bench.shape(2), at: last) { $0.delete() }
    bench.settle(writer, 1) { $0.kind = .star }
    #expect(bench.rejections(writer) == [.roomFull])
    #expect(bench.room.canvas.erasureCount == 1 && bench.room.canvas.liveCount == 1)
  }

  @Test("a shape of which one copy has arrived and one is still on its way counts once")
  func copies() {
    var (bench, writer) = RoomBench.withWriter { $0.shapes = 2 }
    let at = bench.write(writer, bench.shape(1)) { $0.kind = .star }
    bench.write(writer, bench.shape(1), at: at) { $0.kind = .star }
    bench.commit()
    bench.settle(writer, 2) { $0.kind = .star }
    #expect(bench.rejections(writer) == [])
    #expect(bench.room.canvas.liveCount == 2)
    // Both copies of the first message are stored now. If one of them still counted as pending, the third shape would
    // exceed the limit.
    bench.settle(writer, 2) { $0.delete() }
    bench.settle(writer, 3) { $0.kind = .star }
    #expect(bench.rejections(writer) == [])
  }

  @Test("W7: while the log is down nothing is refused for good because of what it will not take")
  func doubt() throws {
    var (bench, writer) = RoomBench.withWriter { $0.shapes = 1 }
    let other = bench.join()
    let at = bench.write(writer, bench.shape(1)) { $0.kind = .star }
    let refused = bench.fail()
    let unknown = try #require(refused)
    bench.write(other, bench.shape(2)) { $0.kind = .star }
    bench.write(writer, bench.shape(1), at: at) { $0.kind = .star }
    bench.fail()
    bench.send()
    #expect(bench.rejections(writer) == [.unavailable, .unavailable])
    // The log is available again and reports that it had stored the first message.
    bench.deliver(RoomRecord(position: 1, milliseconds: RoomBench.epoch, operations: unknown.operations))
    bench.write(writer, bench.shape(1), at: at) { $0.kind = .star }
    bench.settle(other, 2) { $0.kind = .star }
    #expect(bench.rejections(writer) == [.unavailable, .unavailable])
    #expect(bench.rejections(other) == [.unavailable, .roomFull])
  }

  @Test("W8: an accepted operation is accepted again after the clock was moved", arguments: [true, false])
  func againAfterTheClockMoved(isBack: Bool) {
    var (bench, writer) = RoomBench.withWriter()
    let at = bench.settle(writer, 1) { $0.kind = .star }
    let distance = bench.limits.horizonMilliseconds + 1_000_000
    bench.now.wallMilliseconds = isBack ? at.milliseconds - distance : at.milliseconds + distance
    bench.settle(writer, 1, at: at) { $0.kind = .star }
    #expect(bench.rejections(writer) == [])
    #expect(bench.acknowledgements(writer).map(\.superseded) == [[], []])
    let other = isBack ? Stamp(milliseconds: at.milliseconds + 1_000, counter: 0, actor: at.actor)! : at
    bench.settle(writer, 2, at: other) { $0.kind = .star }
    #expect(bench.rejections(writer) == [isBack ? .clockAhead : .tooOld])
  }

  @Test("W8, W11: what the room has is accepted again beyond every bound, and isn't stored again")
  func knownIsNotStored() throws {
    var (bench, writer) = RoomBench.withWriter()
    let old = bench.write(writer, bench.shape(1)) { $0.kind = .star }
    let new = bench.settle(writer, 1) { $0.kind = .ellipse }
    func refusal(_ bound: Allowance.Bound, _ operations: [ProposedOperation]) -> RejectCode? {
      bench.submit(writer, within: bound, operations)
    }
    let (full, low) = (
      Allowance.Bound.nothingNew(.quotaExceeded, "full"), .deletions(.storageLow, "low") as Allowance.Bound
    )
    let known = ProposedOperation(1, Properties { $0.kind = .star }, at: old)
    for bound in [full, low] {
      let count = bench.log.count
      #expect(refusal(bound, [known, known]) == nil)
      #expect(bench.log.count == count)
      let lost = bench.acknowledgements(writer).last?.superseded
      #expect(lost == (0...1).map { Superseded(operation: $0, property: .kind, by: new) })
    }
    #expect(bench.acknowledgements(writer).count == 4)
    let deletion = Properties { $0.delete() }
    let more = Properties {
      $0.delete()
      $0.alpha = 3
    }
    #expect(refusal(full, [known, ProposedOperation(1, deletion, at: nil)]) == .quotaExceeded)
    let passed = Stamp(time: old.time - 1, actor: old.actor)
    for refused in [
      ProposedOperation(1, more), ProposedOperation(2, deletion), ProposedOperation(1, deletion, at: passed),
    ] {
      #expect(refusal(low, [refused]) == .storageLow)
    }
    #expect(refusal(low, [known, ProposedOperation(1, deletion, at: nil), known]) == nil)
    #expect(bench.log.last?.operations.count == 1, "what is known isn't stored again")
    #expect(bench.acknowledgements(writer).last?.superseded.map(\.operation) == [0, 2])
  }

  @Test("M3, W8: another value under a stamp that was accepted counts as new wherever it would win")
  func anotherValue() {
    var (bench, writer) = RoomBench.withWriter { $0.textBytes = 100 }
    let at = bench.settle(writer, 1) { ($0.kind, $0.name, $0.text) = (.text, "A", "a") }
    bench.write(writer, bench.shape(1), at: at) { $0.text = Text(String(repeating: "b", count: 101)) }
    bench.settle(writer, 1, at: at) { $0.name = "a\u{200B}" }
    let other = ProposedOperation(1, Properties { $0.text = "b" }, at: at)
    let bound = Allowance(payer: nil, bound: .nothingNew(.quotaExceeded, "full"))
    let submission = Submission(id: nil, operations: [other])
    _ = bench.room.submit(submission, from: bench.clients[writer].id!, allowance: bound, now: bench.now)
    bench.now.wallMilliseconds += bench.limits.horizonMilliseconds + 1_000_000
    bench.write(writer, bench.shape(1), at: at) { ($0.text, $0.alpha) = ("a", 9) }
    bench.settle(writer, 1, at: at) { ($0.kind, $0.name, $0.text) = (.text, "A", "a") }
    #expect(bench.rejections(writer) == [.roomFull, .badValue, .quotaExceeded, .tooOld])
    #expect(bench.room.canvas[bench.shape(1)]?.properties.text == "a")
  }

  @Test("W6: a room that is ahead of the server's clock goes on at its newest stamp")
  func aheadOfTheClock() throws {
    var (bench, writer) = RoomBench.withWriter()
    let at = bench.settle(writer, 1) { $0.kind = .star }
    bench.now.wallMilliseconds -= bench.limits.clockAheadMilliseconds + 1_000_000
    let next = Stamp(milliseconds: at.milliseconds, counter: at.counter + 1, actor: at.actor)!
    bench.write(writer, bench.shape(1), at: next) { $0.alpha = 3 }
    #expect(bench.rejections(writer) == [])
    func answer(to milliseconds: UInt64) -> RejectCode? {
      let stamp = Stamp(milliseconds: milliseconds, counter: Lead.counterMax, actor: at.actor)!
      return bench.submit(writer, [ProposedOperation(1, Properties { $0.alpha = 4 }, at: stamp)])?.code
    }
    // A writer that counts on may be in the next millisecond at once. However often one writes, the room goes on no
    // faster than time goes by.
    var latest = at.milliseconds + 1
    for milliseconds: UInt64 in [0, 3, 0, 200] {
      bench.pass(milliseconds)
      latest += milliseconds
      #expect(answer(to: latest) == nil)
      #expect(answer(to: latest + 1) == .clockAhead)
      #expect(answer(to: latest) == nil)
    }
    bench.settle()
    // Another node, with another clock, has taken a later stamp. Whoever has seen it has to write after it.
    let newest = try #require(bench.log.last)
    latest = bench.now.wallMilliseconds + 2 * bench.limits.clockAheadMilliseconds + 1_000_000
    let stamp = Stamp(milliseconds: latest, counter: 0, actor: bench.shape(9))!
    let operation = Operation(shape: bench.shape(1), at: stamp, set: Properties { $0.alpha = 5 })
    bench.deliver(RoomRecord(position: newest.position + 1, milliseconds: newest.milliseconds, operations: [operation]))
    bench.settle()
    #expect(answer(to: latest) == nil)
    #expect(answer(to: latest + 1) == .clockAhead)
    // While the server's clock is right, the room isn't ahead, and that time doesn't count when it is ahead again.
    bench.now.wallMilliseconds = latest
    #expect(answer(to: latest) == nil)
    bench.pass(10_000)
    bench.now.wallMilliseconds = at.milliseconds
    #expect(answer(to: latest + 1) == nil)
    #expect(answer(to: latest + 2) == .clockAhead)
  }

  @Test("W6: stamps that the server gives take a room no further ahead")
  func stampsOfTheServer() {
    var (bench, writer) = RoomBench.withWriter()
    let at = bench.settle(writer, 1) { $0.kind = .star }
    bench.now.wallMilliseconds -= bench.limits.clockAheadMilliseconds + 1_000_000
    for counter in [Stamp.counterMax, Lead.counterMax] {
      for step in 1...50 as ClosedRange<UInt64> {
        let stamp = Stamp(milliseconds: at.milliseconds + step, counter: counter, actor: at.actor)!
        var operations = [ProposedOperation(1, Properties { $0.alpha = 4 }, at: stamp)]
        operations.append(ProposedOperation(1, Properties { $0.alpha = 5 }))
        let isTaken = step == 1 && counter == Lead.counterMax
        #expect(bench.submit(writer, operations)?.code == (isTaken ? nil : .clockAhead))
        bench.settle()
      }
    }
  }

  @Test("W6: room_full looks at the room as it will be with all that is on its way")
  func fullnessForecast() {
    var (bench, writer) = RoomBench.withWriter { $0.shapes = 2 }
    bench.makeStars(writer, 1...2)
    // A pending deletion frees space for one new shape.
    bench.write(writer, bench.shape(1)) { $0.delete() }
    bench.write(writer, bench.shape(3)) { $0.kind = .star }
    #expect(bench.rejections(writer) == [])
    bench.write(writer, bench.shape(4)) { $0.kind = .star }
    // Restoring a deleted shape would make one shape too many.
    bench.settle(writer, 1) { $0.kind = .star }
    #expect(bench.rejections(writer) == [.roomFull, .roomFull])
    #expect(bench.room.canvas.liveCount == 2)
  }

  @Test("W6: a shape that is there may be deleted, however many deletions are remembered")
  func deletingIsAlwaysTaken() {
    var (bench, writer) = RoomBench.withWriter { $0.erasures = 1 }
    bench.settle(writer, 1) { $0.kind = .star }
    bench.settle(writer, 8) { $0.delete() }
    bench.settle(writer, 1) { $0.delete() }
    #expect(bench.rejections(writer) == [])
    // The memory for deletions is full. So the room refuses to delete a shape that never existed. It also refuses a new
    // shape, whose later deletion would need space.
    bench.write(writer, bench.shape(9)) { $0.delete() }
    bench.settle(writer, 2) { $0.kind = .star }
    #expect(bench.rejections(writer) == [.roomFull, .roomFull])
  }

  @Test("W8: an accepted operation on a shape that is deleted now is accepted again, in a full room too")
  func againInAFullRoom() {
    var (bench, writer) = RoomBench.withWriter { $0.shapes = 1 }
    let other = bench.join()
    let at = bench.settle(writer, 1) { $0.kind = .star }
    bench.settle(other, 1) { $0.delete() }
    bench.settle(other, 2) { $0.kind = .star }
    bench.settle(writer, 1, at: at) { $0.kind = .star }
    #expect(bench.rejections(writer) == [] && bench.rejections(other) == [])
    #expect(bench.acknowledgements(writer).count == 2)
    #expect(bench.room.canvas.liveCount == 1)
  }

  @Test("batches of a lost connection are stored without it")
  func orphans() {
    var (bench, writer) = RoomBench.withWriter()
    let reader = bench.join()
    bench.write(writer, bench.shape(1)) { $0.kind = .star }
    bench.leave(writer)
    // A newcomer gets the writer's old `seat` (its index in the room) before the write is stored.
    let newcomer = bench.join()
    bench.settle()
    #expect(bench.room.canvas.liveCount == 1)
    bench.expectCaughtUp(reader)
    bench.expectCaughtUp(newcomer)
    #expect(bench.acknowledgements(newcomer).isEmpty)
    for client in [reader, newcomer] { bench.leave(client) }
    #expect(bench.room.isIdle, "nothing is under way")
  }

  @Test("M7: records in the log are merged, each once, whatever the clock and the limits say here")
  func mergingAsksNothing() {
    var bench = RoomBench { $0.shapes = 1 }
    let reader = bench.join()
    let actor = bench.shape(9)
    let stamps = [1, RoomBench.epoch + 2 * bench.limits.clockAheadMilliseconds, Stamp.millisecondsMax]
    for (number, milliseconds) in stamps.enumerated() {
      let stamp = Stamp(milliseconds: milliseconds, counter: 0, actor: actor)!
      let operation = Operation(shape: bench.shape(UInt64(number)), at: stamp, set: Properties { $0.kind = .polygon })
      let record = RoomRecord(position: UInt64(number + 1), milliseconds: RoomBench.epoch, operations: [operation])
      for _ in 1...2 { bench.deliver(record) }
    }
    bench.settle()
    #expect(bench.room.canvas.liveCount == 3 && bench.room.operationCount == 3)
    bench.expectCaughtUp(reader)
    #expect(bench.clients[reader].canvas.liveCount == 3)
  }

  @Test("W6, S14: while the disk is nearly full, a deleted shape's lines are led to where they end, each once")
  func endsWhileLow() {
    var (bench, writer) = RoomBench.withWriter()
    bench.write(writer, bench.shape(1)) { $0.kind = .star }
    bench.write(writer, bench.shape(2)) { set in
      set.kind = .line
      set.to = Tie(shape: Identifier(packed: 1)!, place: .middle)
    }
    bench.settle(writer, 3) { $0.kind = .line }
    let led = Properties { $0.size = Size(width: 7, height: 7) }
    let styled = Properties { $0.alpha = 3 }
    let deletion = ProposedOperation(
      1,
      Properties {
        $0.delete()
        $0.position = Point(x: 1, y: 1)
      }
    )
    func isAccepted(_ operations: [ProposedOperation]) -> Bool {
      bench.submit(writer, within: .deletions(.storageLow, "low"), operations) == nil
    }
    for others in [
      [ProposedOperation(3, led)], [ProposedOperation(2, styled)], [deletion],
      [ProposedOperation(2, led), ProposedOperation(2, led)],
    ] {
      #expect(!isAccepted(others + [deletion]))
    }
    #expect(!isAccepted([ProposedOperation(2, led)]))
    #expect(isAccepted([ProposedOperation(2, led), deletion]))
  }

  @Test("what the server makes itself isn't stored with a value that no record may have")
  func madeByTheServer() {
    var (bench, _) = RoomBench.withWriter()
    let large = Properties { ($0.kind, $0.size) = (.line, Size(width: 2e6, height: 1)) }
    bench.room.submit([ProposedOperation(1, large)], request: 7, actor: bench.shape(7), now: bench.now)
    bench.takeEffects()
    guard case .failure(let rejection) = bench.answers.last?.outcome else {
      Issue.record("it was accepted")
      return
    }
    #expect(rejection.code == .badValue && rejection.operation == 0)
  }

  @Test("operations without a connection are answered by their request's number")
  func requests() throws {
    var bench = RoomBench()
    let reader = bench.join()
    let set = Properties { $0.kind = .polygon }
    let stamp = Stamp(milliseconds: RoomBench.epoch, counter: 0, actor: bench.shape(8))
    let mixed = [stamp, nil].map { ProposedOperation(shape: bench.shape(1), at: $0, set: set) }
    bench.room.submit(mixed, request: 5, actor: bench.shape(7), now: bench.now)
    let two = [stamp, Stamp(milliseconds: RoomBench.epoch, counter: 0, actor: bench.shape(9))]
      .map { ProposedOperation(shape: bench.shape(2), at: $0, set: set) }
    bench.room.submit(two, request: 6, actor: bench.shape(7), now: bench.now)
    bench.room.submit([], request: 7, actor: bench.shape(7), now: bench.now)
    bench.takeEffects()
    bench.settle()
    #expect(bench.answers.map { $0.request } == [7, 5, 6])
    let last = try #require(bench.answers.last)
    #expect(try last.outcome.get() == bench.room.cursor, "stamps of several actors are taken")
    // Operations without a stamp get the actor of the message's first stamp, and a time later than all others.
    #expect(bench.room.canvas.stamp(of: .kind, in: bench.shape(1))?.actor == bench.shape(8))
    #expect(bench.room.canvas.stamp(of: .kind, in: bench.shape(2))?.actor == bench.shape(9))
    bench.expectCaughtUp(reader)
  }

  @Test("a connection is not read while too much of its writing waits for the disk")
  func inFlightBound() {
    var (bench, writer) = RoomBench.withWriter { $0.inFlightOperations = 4 }
    for number in 1...5 { bench.write(writer, bench.shape(UInt64(number))) { $0.kind = .star } }
    #expect(bench.clients[writer].isReadingPaused)
    bench.commit()
    bench.commit()
    #expect(bench.clients[writer].isReadingPaused)
    bench.settle()
    #expect(!bench.clients[writer].isReadingPaused)
  }
}
