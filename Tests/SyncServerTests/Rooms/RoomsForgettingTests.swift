import CanvasCRDT
import Testing

@testable import ServerModel
@testable import SyncServer

@Suite("What a room that has too many deletions forgets")
struct RoomsForgettingTests {
  private func bench(erasures: UInt64 = 80) -> RoomBench {
    RoomBench { ($0.erasures, $0.erasureMilliseconds) = (erasures, 60_000) }
  }

  /// Deletes shapes that never existed, one per second.
  private func deleteMany(_ bench: inout RoomBench, _ writer: Int, _ numbers: ClosedRange<UInt64>) {
    for number in numbers {
      bench.settle(writer, number) { $0.delete() }
      bench.rest(after: 1_000)
    }
  }

  private func forget(_ bench: inout RoomBench, before milliseconds: UInt64) {
    bench.room.forgetErasures(before: milliseconds, request: 9)
    bench.takeEffects()
  }

  @Test("W12: a full memory of deletions keeps nobody from drawing: the oldest are forgotten early")
  func forgetsTheOldest() {
    var bench = bench()
    let writer = bench.join()
    deleteMany(&bench, writer, 1...80)
    bench.rest(after: 60_000)
    #expect((50...70).contains(bench.room.canvas.erasureCount))
    #expect(bench.room.canvas.stamp(of: .deleted, in: bench.shape(1)) == nil)
    #expect(bench.room.canvas.stamp(of: .deleted, in: bench.shape(80)) != nil)
    bench.settle(writer, 100) { $0.kind = .star }
    #expect(bench.rejections(writer) == [])
    #expect(bench.room.canvas.liveCount == 1)
  }

  @Test("W12: none is forgotten before its time, however full the memory is")
  func keepsTheYoung() {
    var bench = bench(erasures: 40)
    let writer = bench.join()
    deleteMany(&bench, writer, 1...40)
    #expect(bench.room.canvas.erasureCount == 40)
    bench.settle(writer, 100) { $0.kind = .star }
    #expect(bench.rejections(writer) == [.roomFull])
    bench.rest(after: 30_000)
    #expect((20..<40).contains(bench.room.canvas.erasureCount))
  }

  @Test("after a clock that ran fast was set right, nothing is forgotten that is deleted from then on")
  func fastClock() {
    var bench = bench()
    let writer = bench.join()
    let right = bench.now
    bench.now = Moment(
      wallMilliseconds: right.wallMilliseconds + 3 * bench.limits.horizonMilliseconds,
      monotonicMilliseconds: right.monotonicMilliseconds
    )
    bench.room.forgetErasures(now: bench.now)
    bench.now = right
    bench.settle(writer, 1) { $0.delete() }
    forget(&bench, before: right.wallMilliseconds - 60_000)
    bench.settle()
    #expect(bench.room.forgottenBefore == right.wallMilliseconds - 60_000)
    #expect(bench.room.canvas.stamp(of: .deleted, in: bench.shape(1)) != nil)
  }

  @Test("W12: what is older than a deletion that was forgotten by a fast clock is too old", arguments: [false, true])
  func forgottenByFastClock(isRestarted: Bool) throws {
    var bench = bench()
    var writer = bench.join()
    bench.write(writer, bench.shape(1)) { $0.kind = .star }
    let erased = bench.settle(writer, 1) { $0.delete() }
    bench.now.wallMilliseconds += 3 * bench.limits.horizonMilliseconds
    bench.room.forgetErasures(now: bench.now)
    #expect(bench.room.canvas.isEmpty)
    bench.now.wallMilliseconds -= 3 * bench.limits.horizonMilliseconds
    if isRestarted {
      let image = try RoomImage(bench.room.image().encoded(), seed: 1)
      bench.restart(with: RoomBench.room(bench.limits, image: image))
      writer = bench.join()
    }
    let actor = bench.actor(writer)
    bench.write(writer, bench.shape(1), at: Stamp(time: erased.time, actor: actor)) { $0.kind = .star }
    bench.write(writer, bench.shape(2)) { $0.kind = .star }
    // Whoever has the room's newest stamp counts on from it.
    bench.settle(writer, 3, at: Stamp(time: erased.time + 1, actor: actor)) { $0.kind = .star }
    #expect(bench.rejections(writer) == [.tooOld])
    #expect(Set(bench.room.canvas.shapes.map(\.id)) == [bench.shape(2), bench.shape(3)])
  }

  @Test("W12: an operation from before the forgotten time is too old; one that was accepted is accepted again")
  func closesTheDoor() {
    var bench = bench()
    let writer = bench.join()
    let old = bench.settle(writer, 200) { $0.kind = .star }
    deleteMany(&bench, writer, 1...80)
    bench.rest(after: 60_000)
    let late = Stamp(milliseconds: old.milliseconds + 1, counter: 0, actor: old.actor)!
    bench.write(writer, bench.shape(1), at: late) { $0.kind = .star }
    bench.settle(writer, 200, at: old) { $0.kind = .star }
    #expect(bench.rejections(writer) == [.tooOld])
    let young = Stamp(milliseconds: bench.room.forgottenBefore, counter: 0, actor: old.actor)!
    bench.settle(writer, 201, at: young) { $0.kind = .star }
    #expect(bench.rejections(writer) == [.tooOld])
  }

  @Test("W12: a later record that may cross forgotten deletions is left out, and refused as too old")
  func crossesWhatIsForgotten() throws {
    var bench = bench()
    let writer = bench.join()
    let other = bench.join()
    let erased = bench.settle(writer, 1) { $0.delete() }
    bench.pass(5_000)
    func late(_ milliseconds: UInt64) -> Stamp {
      Stamp(milliseconds: erased.milliseconds - milliseconds, counter: 0, actor: erased.actor)!
    }
    // This operation is stored before the record that makes the room forget deletions. So it still loses to the
    // deletion.
    bench.write(writer, bench.shape(1), at: late(1)) { $0.kind = .star }
    forget(&bench, before: bench.now.wallMilliseconds)
    bench.commit()
    #expect(bench.room.canvas.erasureCount == 1)
    // The room accepts three operations before it forgets deletions. But they are stored after the record that makes it
    // forget, so the two operations with old stamps are refused.
    bench.write(writer, bench.shape(1), id: 2, at: late(2)) { $0.kind = .star }
    bench.write(writer, bench.shape(3), id: 4, at: late(3)) { $0.kind = .star }
    let fresh = bench.settle(writer, 2, id: 3) { $0.kind = .star }
    #expect(bench.room.canvas.erasureCount == 0 && bench.room.canvas.shapeCount == 1)
    #expect(bench.room.canvas.stamp(of: .kind, in: bench.shape(2)) == fresh)
    #expect(bench.rejections(writer) == [.tooOld, .tooOld])
    #expect(bench.room.operationCount == 5, "those of the log")
    #expect(bench.answers.map(\.request) == [9])
    for client in [writer, other] {
      #expect(bench.clients[client].canvas.stamp(of: .kind, in: bench.shape(1)) == nil)
      #expect(bench.clients[client].cursor == bench.room.cursor)
    }
    // A node that applies the log from its start gets the same room.
    var fold = Fold(epoch: 77, seed: 3)
    for record in bench.log { _ = try fold.take(record, wantsLosses: false) { _, _ in } }
    #expect(fold.canvas.digest == bench.room.canvas.digest && fold.forgottenBefore == bench.room.forgottenBefore)
    for leftOut in [nil, bench.actor(other)] {
      var history = RoomHistory(end: .position(bench.room.position), image: nil, leavingOut: leftOut, seed: 5)
      for record in bench.log {
        let isWithin = try history.fold(record)
        #expect(isWithin)
      }
      #expect(history.canvas.digest == bench.room.canvas.digest)
    }
  }

  @Test("W8: an operation stored before it is accepted again behind it, also by a node that hasn't heard of it")
  func takenAgain() {
    var bench = bench()
    let writer = bench.join()
    let first = bench.settle(writer, 1) { $0.kind = .star }
    bench.pass(5_000)
    forget(&bench, before: bench.now.wallMilliseconds)
    bench.settle(writer, 1, id: 2, at: first) { $0.kind = .star }
    #expect(bench.rejections(writer) == [] && bench.room.canvas.liveCount == 1)
  }

  @Test("a forgetting that the log refuses is answered so, and nothing is forgotten")
  func refused() {
    var bench = bench()
    let writer = bench.join()
    bench.settle(writer, 1) { $0.delete() }
    bench.pass(1_000)
    forget(&bench, before: bench.now.wallMilliseconds)
    bench.fail()
    #expect(bench.room.canvas.erasureCount == 1 && bench.room.forgottenBefore == 0)
    guard case (9, .failure(let rejection))? = bench.answers.last else {
      Issue.record("there is no refusal")
      return
    }
    #expect(rejection.code == .unavailable)
    // The second request writes no record, because these deletions are already forgotten.
    forget(&bench, before: bench.now.wallMilliseconds)
    bench.settle()
    let length = bench.log.count
    forget(&bench, before: bench.room.forgottenBefore)
    bench.settle()
    #expect(bench.log.count == length && bench.answers.count == 3)
    #expect(bench.clients[writer].cursor == bench.room.cursor, "everyone knows how far the room is")
  }

  @Test("H17: a server whose clock is ahead forgets no more than there is, and afterwards takes its own stamps")
  func forgetsWithAFastClock() {
    var bench = bench()
    let writer = bench.join()
    bench.settle(writer, 1) { $0.delete() }
    bench.pass(1_000)
    let right = bench.now
    bench.now.wallMilliseconds += 86_400_000
    for _ in 1...2 {
      forget(&bench, before: bench.now.wallMilliseconds)
      bench.settle()
    }
    #expect(bench.room.canvas.erasureCount == 0 && bench.log.count == 2)
    bench.now.wallMilliseconds = right.wallMilliseconds
    #expect(bench.submit(writer, [ProposedOperation(2, .star, at: nil)]) == nil)
    bench.settle(writer, 3) { $0.kind = .star }
    #expect(bench.rejections(writer) == [] && bench.room.canvas.liveCount == 2)
  }

  @Test("D4: everyone here gets a deletion before the room forgets it")
  func toldFirst() {
    var bench = bench()
    let writer = bench.join()
    let reader = bench.join()
    bench.settle(writer, 1) { $0.kind = .star }
    bench.write(writer, bench.shape(1)) { $0.delete() }
    bench.commit()
    bench.pass(1_000)
    forget(&bench, before: bench.now.wallMilliseconds)
    bench.commit()
    #expect(bench.room.canvas.erasureCount == 0)
    bench.settle()
    #expect(bench.clients[reader].canvas.liveCount == 0)
    #expect(bench.clients[reader].cursor == bench.room.cursor)
  }

  @Test("a newcomer isn't sent a state from before deletions were forgotten, and then the whole state again")
  func noStateFromBefore() {
    var bench = RoomBench { $0.messageBytes = 16_384 }
    let writer = bench.join()
    bench.makeStars(writer, 1...200)
    bench.join()
    bench.settle(writer, 1) { $0.delete() }
    bench.pass(1_000)
    forget(&bench, before: bench.now.wallMilliseconds)
    bench.settle()
    let late = bench.join()
    bench.expectCaughtUp(late)
    #expect(bench.deliveries(late).count { $0.reset } == 1)
  }

  @Test("a snapshot keeps what was forgotten, and from when on")
  func storedWithTheRoom() throws {
    var bench = bench()
    let writer = bench.join()
    let before = bench.write(writer, bench.shape(1)) { $0.delete() }.milliseconds + 1
    bench.settle()
    bench.pass(1_000)
    forget(&bench, before: bench.now.wallMilliseconds)
    bench.settle()
    let image = try RoomImage(bench.room.image().encoded(), seed: 1)
    #expect(image.forgottenBefore == before)
    bench.restart(with: RoomBench.room(bench.limits, image: image))
    let again = bench.join()
    let late = Stamp(milliseconds: before - 1, counter: 0, actor: bench.actor(again))!
    bench.settle(again, 9, at: late) { $0.kind = .star }
    #expect(bench.rejections(again) == [.tooOld])
  }

  // MARK: Shares

  private let eve = Payer(address: "192.0.2.3", token: nil)

  @Test("W12: a writer who has brought its share may still delete, and others may draw")
  func othersGoOn() {
    var bench = bench(erasures: 4_000)
    let writer = bench.join()
    let allowance = Allowance(payer: eve, bound: .none)
    func submit(
      _ numbers: Range<UInt64>,
      _ allowance: Allowance,
      isStored: Bool = true,
      _ change: (inout Properties) -> Void
    ) -> Rejection? {
      let operations = numbers.map { ProposedOperation(shape: bench.shape($0), at: nil, set: Properties(change)) }
      let submission = Submission(id: nil, operations: operations)
      let refused = bench.room.submit(submission, from: bench.clients[writer].id!, allowance: allowance, now: bench.now)
      if !isStored {
        bench.takeEffects()
        bench.fail()
      }
      bench.settle()
      return refused
    }
    #expect(submit(0..<1_000, allowance) { $0.delete() } == nil)
    #expect(submit(1_000..<2_000, .all) { $0.delete() } == nil)
    // What the log doesn't store is no part of the share.
    for _ in 0..<10 { #expect(submit(2_000..<2_020, allowance, isStored: false) { $0.kind = .star } == nil) }
    let refused = submit(2_000..<2_100, allowance) { $0.kind = .star }
    #expect(refused?.code == .quotaExceeded && refused?.operation == 0)
    #expect(submit(2_000..<2_020, allowance) { $0.kind = .star } == nil)
    #expect(submit(2_000..<2_020, allowance) { $0.delete() } == nil)
    #expect(submit(3_000..<3_100, .all) { $0.kind = .star } == nil)
  }
}
