import CanvasCRDT
import Testing

@testable import ServerModel
@testable import SyncServer

@Suite("States on their way, where there are as many as there may be")
struct RoomsStatesTests {
  /// A room with a large state, which is sent in many parts. At most `streams` streams of state may exist at a time.
  private func crowdedBench(streams: UInt64 = 2, ringBeats: UInt64 = 2) -> (bench: RoomBench, writer: Int) {
    var (bench, writer) = RoomBench.withWriter {
      $0.stateStreams = streams
      $0.messageBytes = 16_384
      $0.ringBeats = ringBeats
    }
    for number in 1...200 {
      bench.write(writer, bench.shape(UInt64(number))) {
        $0.kind = .star
        $0.name = Text(String(repeating: "n", count: 90) + "\(number)")
      }
    }
    bench.settle()
    return (bench, writer)
  }

  private func joinSlowly(
    _ bench: inout RoomBench,
    since: Cursor? = nil,
    from address: String? = nil,
    takes: Int
  ) -> Int {
    bench.join(takes: takes, from: address) { $0.since = since }
  }

  /// Adds several slow readers. The room changes after each of them, so each one needs a state stream of its own.
  private func joinSlowly(_ count: Int, _ bench: inout RoomBench, _ writer: Int, takes: Int) -> [Int] {
    (0..<count).map { _ in
      defer { bench.drag(writer, 1...3, times: 4) }
      return joinSlowly(&bench, takes: takes)
    }
  }

  private func resets(_ bench: RoomBench, _ client: Int) -> Int {
    bench.deliveries(client).count { $0.reset }
  }

  @Test("states under way have a bound: readers of one may finish it, newcomers wait, and all arrive")
  func boundedStates() {
    var (bench, writer) = crowdedBench()
    var slow: [Int] = []
    for round in 0..<6 {
      slow.append(joinSlowly(&bench, takes: 40))
      bench.drag(writer, 1...3, times: 3 + round)
      #expect(bench.room.kept.states <= 2)
    }
    for _ in 0..<3_000 where slow.contains(where: { bench.clients[$0].cursor == nil }) {
      for client in slow { bench.wake(client) }
      bench.settle()
    }
    // Each client got one reset only, so no reader had to start again.
    #expect(slow.map { resets(bench, $0) } == [1, 1, 1, 1, 1, 1])
    for client in slow { bench.clients[client].takes = nil }
    for client in slow { bench.wake(client) }
    bench.settle()
    for client in slow { bench.expectCaughtUp(client) }
  }

  @Test("nobody is sent the same state twice, though the room has forgotten a deletion since")
  func forgottenSince() {
    var (bench, writer) = crowdedBench(ringBeats: 10)
    let slow = joinSlowly(&bench, takes: 400)
    // The broadcasts that follow the state are all buffered. Once the room has forgotten the deletion, it can't send the
    // newest values in place of them.
    bench.settle(writer, 1) { $0.delete() }
    bench.pass(1_000)
    bench.room.forgetErasures(before: bench.now.wallMilliseconds, request: 9)
    bench.takeEffects()
    bench.settle()
    #expect(bench.room.canvas.erasureCount == 0)
    bench.pass(1_000)
    for _ in 0..<3_000 where bench.clients[slow].cursor != bench.room.cursor { bench.wake(slow) }
    bench.expectCaughtUp(slow)
    #expect(resets(bench, slow) == 2)
  }

  @Test("a room that is deleted makes no states for those who wait for one while it sends everybody away")
  func deleted() {
    var (bench, _) = crowdedBench()
    for round in 0..<6 {
      _ = joinSlowly(&bench, takes: 40)
      bench.settle(0, UInt64(1 + round)) { $0.name = Text("moved \(round)") }
    }
    let made = bench.room.counts.statesMade
    bench.room.close(.noSuchRoom, "deleted", now: bench.now)
    bench.takeEffects()
    #expect(bench.clients.map(\.closed) == [CloseCode?](repeating: .noSuchRoom, count: 7))
    #expect(bench.room.counts.statesMade == made)
  }

  @Test("a slow joiner arrives, however many join meanwhile from wherever")
  func slowJoinerArrives() {
    var (bench, writer) = crowdedBench()
    let slow = joinSlowly(&bench, takes: 200)
    var steps = 0
    while bench.clients[slow].cursor == nil, steps < 2_000 {
      let since = bench.clients[writer].cursor
      bench.drag(writer, 1...30, times: 1)
      _ = joinSlowly(&bench, since: since, takes: 0)
      bench.wake(slow)
      bench.settle()
      steps += 1
    }
    #expect(bench.clients[slow].cursor != nil)
    #expect(resets(bench, slow) == 1)
  }

  @Test("a state that all its readers have stopped reading is given up for those who wait")
  func standingStill() {
    var (bench, writer) = crowdedBench()
    _ = joinSlowly(2, &bench, writer, takes: 0)
    let waiting = joinSlowly(&bench, takes: 1 << 20)
    #expect(bench.clients[waiting].cursor == nil)
    bench.rest(after: 19_000)
    #expect(bench.clients[waiting].cursor == nil)
    bench.rest(after: 2_000)
    bench.expectCaughtUp(waiting)
  }

  @Test("D2: if there is no space for another state, a newcomer is sent one that has more than it lacks")
  func sharingMore() {
    var (bench, writer) = crowdedBench()
    // There are two streams, one with the whole state and one with the changes since a cursor. The broadcasts that
    // follow each of them are still buffered.
    _ = joinSlowly(&bench, takes: 0)
    bench.drag(writer, 1...3, times: 4)
    let since = bench.clients[writer].cursor
    bench.drag(writer, 1...30, times: 1)
    let later = bench.clients[writer].cursor
    bench.drag(writer, 1...30, times: 1)
    _ = joinSlowly(&bench, since: since, takes: 0)
    #expect(bench.room.kept.states == 2)
    let sharing = joinSlowly(&bench, since: later, takes: 1 << 20)
    #expect(bench.room.kept.states == 2)
    #expect(bench.clients[sharing].cursor == bench.room.cursor)
    #expect(resets(bench, sharing) == 0)
    #expect(!bench.deliveries(sharing).isEmpty)
  }

  /// Advances a busy room by a second, in which each slow client takes some bytes.
  private func passSecond(_ bench: inout RoomBench, _ writer: Int, _ slow: [Int]) {
    bench.pass(1_000)
    bench.drag(writer, 1...3, times: 3)
    for client in slow { bench.wake(client) }
    bench.settle()
  }

  @Test("a reader that lacks little is sent it at once, however many large states are on their way")
  func shortOnesPassBy() {
    var (bench, writer) = crowdedBench()
    let slow = joinSlowly(2, &bench, writer, takes: 150)
    let since = bench.clients[writer].cursor
    bench.drag(writer, 1...3, times: 4)
    let back = joinSlowly(&bench, since: since, takes: 1 << 20)
    #expect(bench.clients[back].cursor == bench.room.cursor)
    #expect(resets(bench, back) == 0)
    for client in slow { #expect(bench.clients[client].cursor == nil) }
  }

  @Test("those who lack little are bounded, too, and make way as others do")
  func manyShortOnes() {
    var (bench, writer) = crowdedBench()
    var slow: [Int] = []
    for _ in 0..<14 {
      let since = bench.clients[writer].cursor
      bench.drag(writer, 1...3, times: 4)
      slow.append(joinSlowly(&bench, since: since, takes: 0))
    }
    #expect(bench.room.kept.states <= 2 * 4 + 2)
    for client in slow { bench.clients[client].takes = nil }
    for _ in 0..<40 where slow.contains(where: { bench.clients[$0].cursor == nil }) {
      passSecond(&bench, writer, slow)
    }
    for client in slow { #expect(bench.clients[client].cursor == bench.room.cursor) }
  }

  @Test("states of few shapes that have changed often are bounded, too")
  func manyChangesOfOneShape() {
    var (bench, writer) = crowdedBench()
    var places: [Cursor?] = []
    for step in 0..<340 {
      if step < 40 { places.append(bench.clients[writer].cursor) }
      bench.settle(writer, 1) { $0.position = Point(x: Double(step), y: 0) }
    }
    // From each of these cursors, the newer changes fit into one message. The room learns that only when it makes the
    // message.
    for place in places.reversed() {
      _ = joinSlowly(&bench, since: place, takes: 0)
      #expect(bench.room.kept.states <= 2 * 4 + 2)
    }
  }

  @Test("a newcomer waits for those who read slowly no more than a number of beats, wherever they are")
  func waitIsBounded() {
    var (bench, writer) = crowdedBench()
    let slow = joinSlowly(2, &bench, writer, takes: 150)
    let newcomer = joinSlowly(&bench, takes: 1 << 20)
    var beats = 0
    while bench.clients[newcomer].cursor == nil, beats < 1_000 {
      passSecond(&bench, writer, slow)
      beats += 1
    }
    // Each iteration is a second. All readers kept reading, so the newcomer had to wait until one of their streams was
    // old enough to be dropped.
    #expect(beats > 20 && beats <= 31)
    bench.expectCaughtUp(newcomer)
    // The readers whose streams were dropped start again, and get everything.
    for client in slow { bench.clients[client].takes = 1 << 20 }
    for _ in 0..<40 where slow.contains(where: { bench.clients[$0].cursor == nil }) {
      passSecond(&bench, writer, slow)
    }
    for client in slow { bench.expectCaughtUp(client) }
  }

  @Test("one address neither keeps others out nor has them start anew, however many states it reads slowly")
  func oneAddress() {
    var (bench, writer) = crowdedBench(streams: 4)
    let slow = joinSlowly(&bench, takes: 300)
    bench.drag(writer, 1...3, times: 4)
    var many: [Int] = []
    for _ in 0..<3 {
      many.append(joinSlowly(&bench, from: "many", takes: 150))
      bench.drag(writer, 1...3, times: 4)
    }
    let sameAddress = joinSlowly(&bench, from: "many", takes: 1 << 20)
    #expect(bench.clients[sameAddress].cursor == nil, "its own wait for each other")
    let other = joinSlowly(&bench, takes: 1 << 20)
    bench.expectCaughtUp(other)
    var seconds = 0
    while bench.clients[slow].cursor == nil, seconds < 1_000 {
      many.append(joinSlowly(&bench, from: "many", takes: 150))
      passSecond(&bench, writer, [slow] + many)
      seconds += 1
    }
    #expect(seconds > 40, "longer than a state of the others lasts")
    #expect(bench.clients[slow].cursor != nil)
    #expect(resets(bench, slow) == 1)
  }

  @Test("a few addresses with many slow readers keep no newcomer waiting, and addresses get states in turn")
  func inTurn() {
    var (bench, writer) = crowdedBench(streams: 4)
    for number in 0..<20 {
      bench.join(.json, takes: 150, from: "\(number % 2)")
      bench.drag(writer, 1...3, times: 4)
    }
    #expect(bench.room.kept.states == 4 && bench.room.kept.waiting == 16)
    // These newcomers read the other encoding, so nobody can share their states.
    let newcomers = joinSlowly(2, &bench, writer, takes: 150)
    // Four addresses have one state each now. So the next newcomer waits until one ends, but not for those who have
    // waited longer, because their addresses have a state.
    let last = bench.join()
    #expect(bench.clients[last].cursor == nil)
    bench.leave(newcomers[0])
    bench.settle()
    bench.expectCaughtUp(last)
  }

  @Test("an address with two slow readers gets to the end of a state, however many come and go")
  func comingAndGoing() {
    var (bench, writer) = crowdedBench()
    var slow: [Int] = []
    for _ in 0..<2 {
      slow.append(joinSlowly(&bench, from: "slow", takes: 1_000))
      bench.drag(writer, 1...3, times: 4)
    }
    var seconds = 0
    while slow.allSatisfy({ bench.clients[$0].cursor == nil }), seconds < 100 {
      let newcomer = bench.join(.json, takes: 150, from: "others")
      passSecond(&bench, writer, slow)
      bench.leave(newcomer)
      seconds += 1
    }
    #expect((2..<30).contains(seconds))
  }

  @Test("a few addresses that begin states anew again and again keep nobody out", arguments: [false, true])
  func fewAddresses(shareStates: Bool) {
    var (bench, writer) = crowdedBench(streams: 4)
    var slow: [Int] = []
    for number in 0..<(shareStates ? 8 : 4) {
      slow.append(joinSlowly(&bench, from: "\(number % 2)", takes: 150))
      if !shareStates || number % 2 == 1 { bench.drag(writer, 1...3, times: 4) }
    }
    #expect(bench.room.kept.states == 4)
    var longest = 0
    for _ in 0..<40 {
      // Drags shapes, so that the newcomer can share none of the states that are already being sent.
      bench.drag(writer, 1...3, times: 4)
      let newcomer = joinSlowly(&bench, takes: 1 << 20)
      var seconds = 0
      while bench.clients[newcomer].cursor == nil, seconds < 600 {
        passSecond(&bench, writer, slow)
        bench.room.rest(now: bench.now)
        seconds += 1
      }
      longest = max(longest, seconds)
      // Readers whose streams were dropped start again, and readers that have received everything join anew.
      for _ in 0..<5 { passSecond(&bench, writer, slow) }
      for number in slow.indices where bench.clients[slow[number]].cursor != nil {
        slow[number] = joinSlowly(&bench, from: "\(number % 2)", takes: 150)
      }
    }
    #expect(longest == 0)
  }

  @Test("a reader that lacks little waits for no large state, once a little one has ended")
  func littleSpace() {
    var (bench, writer) = crowdedBench(streams: 1)
    _ = joinSlowly(&bench, takes: 150)
    var little: [Int] = []
    for _ in 0..<4 {
      let since = bench.clients[writer].cursor
      bench.drag(writer, 1...3, times: 4)
      little.append(joinSlowly(&bench, since: since, takes: 0))
    }
    let since = bench.clients[writer].cursor
    bench.drag(writer, 1...3, times: 4)
    // This client reads JSON, so it can't share an encoded state with the other clients.
    let last = bench.join(.json) { $0.since = since }
    #expect(bench.clients[last].cursor == nil && bench.room.kept.waiting == 1)
    bench.leave(little[0])
    bench.settle()
    #expect(bench.clients[last].cursor == bench.room.cursor)
  }

  @Test(
    "all who go on reading arrive some day, however many read slowly from wherever, and however few states there may be",
    arguments: [(1, 3, 200), (2, 4, 400)] as [(UInt64, Int, Int)]
  )
  func allArrive(streams: UInt64, readers: Int, takes: Int) {
    var (bench, writer) = crowdedBench(streams: streams)
    let slow = joinSlowly(readers, &bench, writer, takes: takes)
    var seconds = 0
    while slow.contains(where: { bench.clients[$0].cursor == nil }), seconds < 2_000 {
      passSecond(&bench, writer, slow)
      bench.room.rest(now: bench.now)
      seconds += 1
    }
    #expect(slow.allSatisfy { bench.clients[$0].cursor != nil }, "after \(seconds) s")
    #expect(slow.contains { resets(bench, $0) > 1 }, "some had to make way")
  }
}
