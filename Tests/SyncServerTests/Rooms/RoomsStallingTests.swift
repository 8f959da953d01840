import CanvasCRDT
import Testing

@testable import ServerModel
@testable import SyncServer

@Suite("Readers that are slow")
struct RoomsStallingTests {
  @Test(
    "a socket that takes one byte at a time gets every message whole, in both encodings",
    arguments: WireEncoding.allCases
  )
  func oneByte(encoding: WireEncoding) {
    var (bench, writer) = RoomBench.withWriter()
    bench.drag(writer, 1...5, times: 2)
    let slow = bench.join(encoding, takes: 1)
    for round in 0..<40 {
      bench.write(writer, bench.shape(UInt64(round % 7))) { ($0.kind, $0.rotation) = (.star, Double(round)) }
      if round % 5 == 0 { bench.say(.ping(MessageIdentifier(UInt64(round))), slow) }
      bench.settle()
      for _ in 0..<50 { bench.wake(slow) }
    }
    for _ in 0..<20_000 where bench.clients[slow].cursor != bench.room.cursor || !bench.clients[slow].arrived.isEmpty {
      bench.wake(slow)
    }
    bench.expectCaughtUp(slow)
    #expect(bench.clients[slow].messages.count { if case .pong = $0 { true } else { false } } == 8)
  }

  @Test(
    "D5: a reader that falls off the ring gets the newest values and no backlog, and is back on it",
    arguments: WireEncoding.allCases,
    [false, true]
  )
  func fallsOff(encoding: WireEncoding, overlaps: Bool) {
    var (bench, writer) = RoomBench.withWriter { $0.ringBeats = 8 }
    bench.drag(writer, 1...4, times: 1)
    let slow = bench.join(encoding) { $0.overlaps = overlaps }
    bench.clients[slow].takes = 0
    bench.drag(writer, 1...4, times: 100)
    bench.settle(writer, 4) { $0.delete() }
    #expect(bench.room.kept.beats <= 8)
    #expect(bench.room.counts.caughtUp == 1)
    let before = bench.clients[slow].messages.count
    bench.catchUp(slow)
    bench.expectCaughtUp(slow)
    // The client got the one broadcast that was already being sent, and then each shape only once.
    let deliveries = bench.clients[slow].messages.dropFirst(before).compactMap(\.delivery)
    #expect(deliveries.flatMap(\.operations).count < 20)
    bench.drag(writer, 1...4, times: 3)
    bench.expectCaughtUp(slow)
    #expect(bench.room.counts.caughtUp == 1)
  }

  @Test("D5: a reader that falls off the ring isn't sent again what it had got from there")
  func fallsOffLater() {
    var (bench, writer) = RoomBench.withWriter { $0.ringBeats = 8 }
    bench.drag(writer, 1...4, times: 1)
    let slow = bench.join()
    bench.put(writer, [9: 0])
    bench.clients[slow].takes = 0
    bench.drag(writer, 1...4, times: 100)
    bench.clients[slow].canvas = Canvas()
    bench.catchUp(slow)
    #expect(bench.clients[slow].canvas.shapes.map(\.id) == (1...4).map { bench.shape($0) })
  }

  @Test("the cost of a stalled reader does not grow with what it misses")
  func constant() {
    var (bench, writer) = RoomBench.withWriter { $0.ringBytes = 4_096 }
    let slow = bench.join()
    bench.clients[slow].takes = 0
    bench.drag(writer, 1...20, times: 300)
    #expect(bench.room.kept.beatBytes <= 8_192)
    #expect(bench.room.kept.readerBytes < 4_096)
    #expect(bench.room.kept.states <= 1)
  }

  @Test("who shows something all the time to readers that keep up fills no memory with it")
  func shown() throws {
    var bench = RoomBench()
    let ann = bench.join()
    bench.join()
    for number in 0..<100 {
      bench.say(.presence(JSONText("{\"x\":\"\(String(repeating: "x", count: 4_000))\(number)\"}")), ann)
      bench.pass(100)
      bench.settle()
    }
    #expect(bench.room.counts.beats > 50)
    #expect(bench.room.kept.beatBytes < 80_000)
  }

  @Test("who leaves an empty room and comes back shares the state that was made before, until something changes")
  func sharedLater() {
    var (bench, writer) = RoomBench.withWriter()
    bench.makeStars(writer, 1...50)
    bench.leave(writer)
    bench.leave(bench.join())
    let made = bench.room.counts.statesMade
    let reader = bench.join()
    bench.settle()
    #expect(bench.room.counts.statesMade == made)
    bench.expectCaughtUp(reader)
    bench.settle(reader, 1) { $0.delete() }
    bench.leave(reader)
    let last = bench.join()
    bench.settle()
    bench.expectCaughtUp(last)
    #expect(bench.room.counts.statesMade == made + 1)
  }

  @Test("a state that was overtaken is completed by the difference", arguments: WireEncoding.allCases)
  func stalledInState(encoding: WireEncoding) {
    var (bench, writer) = RoomBench.withWriter {
      $0.messageBytes = 16_384
      $0.ringBeats = 4
    }
    bench.makeStars(writer, 1...200)
    let slow = bench.join(encoding, takes: 500)
    bench.drag(writer, 1...200, times: 2)
    for number in 1...50 { bench.write(writer, bench.shape(UInt64(number))) { $0.delete() } }
    bench.settle()
    for _ in 0..<5_000 where bench.clients[slow].cursor != bench.room.cursor { bench.wake(slow) }
    bench.expectCaughtUp(slow)
    #expect(bench.deliveries(slow).count { $0.reset } == 1)
  }

  @Test("clients that join at the same time share the encoded state")
  func shared() {
    var (bench, writer) = RoomBench.withWriter()
    bench.makeStars(writer, 1...50)
    let made = bench.room.counts.statesMade
    for _ in 0..<20 {
      let client = bench.connect()
      bench.say(.hello(Hello()), client)
    }
    bench.settle()
    #expect(bench.room.counts.statesMade == made + 1)
    for client in bench.clients.indices { bench.expectCaughtUp(client) }
  }

  /// The simulation found this fault: while no client used a certain encoding (channel), broadcasts were not encoded
  /// for it. The next client with this encoding then missed a broadcast.
  @Test(
    "a state that was made for who has left is no use once beats were not encoded for it",
    arguments: WireEncoding.allCases
  )
  func staleState(encoding: WireEncoding) {
    var bench = RoomBench { $0.messageBytes = 16_384 }
    let writer = bench.join(encoding == .json ? .binary : .json)
    bench.makeStars(writer, 1...200)
    bench.leave(bench.join(encoding))
    bench.drag(writer, 1...2, times: 2)
    let reader = bench.join(encoding)
    bench.expectCaughtUp(reader)
    // While the first reader is connected, the next reader with the same encoding shares the first one's stream of the
    // state.
    let made = bench.room.counts.statesMade
    bench.drag(writer, 1...2, times: 2)
    let next = bench.join(encoding)
    bench.expectCaughtUp(next)
    #expect(bench.room.counts.statesMade == made)
  }

  @Test("a writer is handed what it wrote and the answers to it at one time, in this order") func joinedAnswers() {
    var (bench, writer) = RoomBench.withWriter()
    let reader = bench.join(.json)
    let before = (writes: bench.writes, messages: bench.clients[writer].messages.count)
    for number in 1...3 as ClosedRange<UInt64> {
      bench.write(writer, bench.shape(number), id: number) { $0.kind = .star }
    }
    bench.settle()
    #expect(bench.writes == before.writes + 2)
    let messages = bench.clients[writer].messages.dropFirst(before.messages)
    #expect(messages.count == 4)
    #expect(messages.first?.delivery?.cursor == bench.room.cursor)
    #expect(bench.acknowledgements(writer).map(\.id) == (1...3).map { MessageIdentifier($0) })
    for client in [writer, reader] { bench.expectCaughtUp(client) }
  }

  @Test("R5: a digest is answered in order: at its cursor, both agree", arguments: [nil, 0, 3, 40])
  func digests(takes: Int?) {
    var (bench, writer) = RoomBench.withWriter { $0.ringBeats = 3 }
    let reader = bench.join()
    bench.clients[reader].takes = takes
    for round in 0..<30 {
      bench.write(writer, bench.shape(UInt64(round % 4))) { ($0.kind, $0.rotation) = (.star, Double(round)) }
      // Some operations are stored and not broadcast yet. Others are not even stored.
      if round % 2 == 0 { bench.commit() }
      if round % 7 == 0 { bench.say(.digest, reader) }
      if round % 3 == 0 { bench.settle() }
      bench.wake(reader)
    }
    bench.catchUp(reader)
    #expect(bench.clients[reader].digests > 0)
    #expect(bench.clients[reader].digestsThatDiffer == 0)
    bench.expectCaughtUp(reader)
  }

  @Test("answers that are not read stop the reading of more")
  func letters() {
    var bench = RoomBench { $0.waitingAnswerBytes = 1_024 }
    let slow = bench.join()
    bench.clients[slow].takes = 0
    var asked = 0
    while !bench.clients[slow].isReadingPaused, asked < 300 {
      bench.say(.ping(MessageIdentifier(UInt64(asked))), slow)
      bench.send()
      asked += 1
    }
    #expect(asked < 200)
    bench.clients[slow].takes = nil
    bench.wake(slow)
    #expect(!bench.clients[slow].isReadingPaused)
    #expect(bench.clients[slow].messages.count { if case .pong = $0 { true } else { false } } == asked)
  }

  @Test("a reader that fell behind knows afterwards who is there and what they show")
  func peersAfterStall() throws {
    var (bench, writer) = RoomBench.withWriter { $0.ringBeats = 4 }
    let leaver = bench.join { $0.name = "leaver" }
    let slow = bench.join()
    bench.clients[slow].takes = 0
    bench.leave(leaver)
    let passer = bench.join { $0.name = "passer" }
    bench.settle()
    let comer = bench.join(.json) { $0.name = "comer" }
    bench.leave(passer)
    let state = JSONText(#"{"x":1}"#)
    bench.say(.presence(state), comer)
    bench.settle()
    bench.drag(writer, 1...2, times: 10)
    bench.clients[slow].takes = nil
    bench.wake(slow)
    bench.settle()
    #expect(Set(bench.clients[slow].peers.keys) == [bench.actor(writer), bench.actor(comer)])
    #expect(bench.clients[slow].peers[bench.actor(comer)]?.state == state)
    bench.expectCaughtUp(slow)
  }

  @Test("R3: a reader that fell behind gets no leave without the join before it", arguments: [false, true])
  func passersBy(wasCaughtUpBefore: Bool) {
    var (bench, writer) = RoomBench.withWriter { $0.ringBeats = 4 }
    let leaver = bench.join { $0.name = "leaver" }
    let slow = bench.join()
    func stall() {
      bench.clients[slow].takes = 0
      bench.drag(writer, 1...2, times: 10)
    }
    if wasCaughtUpBefore {
      stall()
      bench.catchUp(slow)
      bench.drag(writer, 1...2, times: 10)
    }
    bench.clients[slow].takes = 0
    // This write fills the socket's buffer.
    bench.settle(writer, 1) { $0.alpha = 3 }
    let passer = bench.join { $0.name = "passer" }
    bench.settle()
    bench.leave(passer)
    let left = bench.actor(leaver)
    bench.leave(leaver)
    bench.settle()
    let before = bench.clients[slow].messages.count
    stall()
    bench.catchUp(slow)
    #expect(bench.clients[slow].messages[before...].compactMap(\.left) == [left])
    #expect(bench.room.counts.caughtUp > 0)
    bench.expectCaughtUp(slow)
  }

  /// The people about whom a client was told that they joined, and those about whom it was told that they left.
  private func news(_ bench: RoomBench, _ client: Int) -> (came: [Identifier], left: [Identifier]) {
    let messages = bench.clients[client].messages
    return (messages.compactMap { $0.joined?.actor }, messages.compactMap(\.left))
  }

  @Test("a reader that stalled is told of who came in the first beat that it missed, and of nobody twice")
  func firstMissed() {
    var (bench, writer) = RoomBench.withWriter { $0.ringBeats = 3 }
    let slow = bench.join()
    let early = bench.join()
    let gone = bench.actor(early)
    bench.leave(early)
    bench.drag(writer, 1...1, times: 6)
    // One broadcast is being sent to the client. The next one contains a join.
    bench.clients[slow].takes = 0
    bench.drag(writer, 1...1, times: 1)
    let late = bench.join()
    bench.drag(writer, 1...1, times: 6)
    bench.catchUp(slow)
    #expect(news(bench, slow).came == [gone, bench.actor(late)])
    #expect(news(bench, slow).left == [gone])
    bench.expectCaughtUp(slow)
  }

  @Test("a reader that falls behind again before it has caught up is told all that it missed")
  func behindTwice() {
    var (bench, writer) = RoomBench.withWriter { $0.ringBeats = 3 }
    let slow = bench.join()
    bench.clients[slow].takes = 0
    bench.drag(writer, 1...1, times: 7)
    let late = bench.join()
    bench.drag(writer, 1...1, times: 7)
    #expect(bench.room.fanOut.streams.count == 0)
    // The client reads until the state begins, and stalls again.
    bench.clients[slow].takes = 1
    var wakes = 0
    while bench.room.fanOut.streams.count == 0, wakes < 10_000 {
      bench.wake(slow)
      wakes += 1
    }
    #expect(bench.room.fanOut.streams.count == 1)
    bench.clients[slow].takes = 0
    bench.drag(writer, 1...1, times: 7)
    bench.catchUp(slow)
    #expect(news(bench, slow).came == [bench.actor(late)])
    bench.expectCaughtUp(slow)
  }

  @Test("a reader that falls behind again after it was told who came is told of nobody twice")
  func behindAgain() {
    var (bench, writer) = RoomBench.withWriter { $0.ringBeats = 3 }
    let slow = bench.join()
    bench.clients[slow].takes = 0
    bench.drag(writer, 1...1, times: 7)
    // While the client reads the state, somebody comes. It is told of that behind the state, and then stalls in the
    // beats that follow, of which one has the same news.
    bench.clients[slow].takes = 1
    var wakes = 0
    while bench.room.fanOut.streams.count == 0, wakes < 10_000 {
      bench.wake(slow)
      wakes += 1
    }
    bench.clients[slow].takes = 0
    bench.drag(writer, 1...1, times: 1)
    let late = bench.join()
    bench.clients[slow].takes = 1
    while news(bench, slow).came.isEmpty, wakes < 10_000 {
      bench.wake(slow)
      wakes += 1
    }
    bench.clients[slow].takes = 0
    bench.drag(writer, 1...1, times: 7)
    bench.catchUp(slow)
    #expect(news(bench, slow).came == [bench.actor(late)] && news(bench, slow).left.isEmpty)
    bench.expectCaughtUp(slow)
  }

  @Test("R5: digests that somebody who is behind asks for count as answers that wait, and all are answered")
  func owedDigests() {
    var (bench, writer) = RoomBench.withWriter {
      $0.ringBeats = 3
      $0.waitingAnswerBytes = 1_024
    }
    let slow = bench.join()
    bench.clients[slow].takes = 0
    bench.drag(writer, 1...2, times: 8)
    var asked = 0
    while !bench.clients[slow].isReadingPaused, asked < 300 {
      bench.say(.digest, slow)
      asked += 1
    }
    #expect(asked < 100)
    bench.catchUp(slow)
    #expect(bench.clients[slow].digests == asked)
    #expect(!bench.clients[slow].isReadingPaused)
  }

  @Test("R5: a digest that was asked for while a state was on its way is of what was sent, and of nothing after it")
  func digestAfterState() {
    var (bench, writer) = RoomBench.withWriter()
    bench.drag(writer, 1...5, times: 2)
    let slow = bench.join(takes: 0)
    bench.say(.digest, slow)
    // In a large room broadcasts are rare, so stored operations wait for the next one.
    bench.room.sendingTook(microseconds: 1_000_000, seats: 64)
    bench.write(writer, bench.shape(1)) { $0.alpha = 3 }
    bench.commit()
    #expect(bench.room.isGathering)
    bench.clients[slow].takes = nil
    bench.wake(slow)
    #expect(bench.clients[slow].digests == 1)
    #expect(bench.clients[slow].digestsThatDiffer == 0)
    bench.settle()
    bench.expectCaughtUp(slow)
  }

  @Test("a welcome that is longer than answers may be is taken before anything more is read, also of who comes again")
  func longWelcome() throws {
    var bench = RoomBench { $0.waitingAnswerBytes = 1_024 }
    let state = JSONText("{\"x\":\"\(String(repeating: "x", count: 500))\"}")
    for _ in 0..<4 {
      let person = bench.join()
      bench.say(.presence(state), person)
      bench.settle()
    }
    let reader = bench.join(takes: 0)
    #expect(bench.clients[reader].isReadingPaused)
    let id = try #require(bench.clients[reader].id)
    #expect(bench.room.hasPausedReading(from: id))
    bench.catchUp(reader)
    #expect(!bench.clients[reader].isReadingPaused && !bench.room.hasPausedReading(from: id))
    bench.expectCaughtUp(reader)
  }
}
