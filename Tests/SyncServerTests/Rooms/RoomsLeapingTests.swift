import CanvasCRDT
import Testing

@testable import ServerModel
@testable import SyncServer

@Suite("Readers that are behind get the newest values in place of beats")
struct RoomsLeapingTests {
  /// A room with a writer, and a reader whose socket accepts nothing for now.
  private func stalled(_ encoding: WireEncoding, overlaps: Bool = false) -> (RoomBench, writer: Int, reader: Int) {
    var (bench, writer) = RoomBench.withWriter()
    for number in 1...3 as ClosedRange<UInt64> { place(&bench, writer, number, at: 0) }
    let reader = bench.join(encoding) { $0.overlaps = overlaps }
    bench.clients[reader].takes = 0
    keepWelcome(&bench, reader)
    return (bench, writer, reader)
  }

  /// Drops the messages that the reader has received, except the welcome.
  private func keepWelcome(_ bench: inout RoomBench, _ reader: Int) {
    bench.clients[reader].messages.removeAll { if case .welcome = $0 { false } else { true } }
  }

  private func place(_ bench: inout RoomBench, _ writer: Int, _ number: UInt64, at x: Double, settles: Bool = true) {
    bench.write(writer, bench.shape(number)) {
      $0.kind = .rectangle
      $0.position = Point(x: x, y: Double(number) * 1_000)
    }
    if settles { bench.settle() }
  }

  @Test("D5: it gets each value once, the newest, although the ring has every beat", arguments: WireEncoding.allCases)
  func newest(encoding: WireEncoding) {
    var (bench, writer, reader) = stalled(encoding)
    for time in 1...20 {
      for number in 1...2 as ClosedRange<UInt64> { place(&bench, writer, number, at: Double(time)) }
      bench.pass(10)
    }
    bench.settle(writer, 3) { $0.delete() }
    bench.catchUp(reader)
    #expect(bench.room.counts.leaps == 1)
    #expect(bench.room.counts.caughtUp == 0)
    #expect(bench.deliveries(reader).map(\.operations.count) == [3])
    bench.expectCaughtUp(reader)
    place(&bench, writer, 1, at: 99)
    bench.expectCaughtUp(reader)
  }

  @Test("D5: those who lack the same are sent it from one buffer if it is long", arguments: WireEncoding.allCases)
  func shared(encoding: WireEncoding) {
    var (bench, writer, reader) = stalled(encoding)
    let readers = [reader, bench.join(encoding), bench.join(encoding)]
    for each in readers { bench.catchUp(each) }
    for each in readers { bench.clients[each].takes = 0 }
    for _ in 1...2 {
      for number in 1...600 as ClosedRange<UInt64> {
        bench.write(writer, bench.shape(10 + number)) {
          $0.kind = .rectangle
          $0.name = "a name that takes some bytes, so that all of them are long"
        }
        if number.isMultiple(of: 300) { bench.settle() }
      }
      bench.pass(50)
    }
    // One reader writes too, and so gets an answer before the newest values.
    bench.write(readers[1], bench.shape(2_000), id: 5) { $0.kind = .star }
    bench.settle()
    for each in readers {
      bench.clients[each].takes = 700
      bench.wake(each)
    }
    #expect(bench.room.counts.leaps == 3)
    let buffers = Set(readers.map { bench.clients[$0].offeredFrom })
    #expect(buffers.count == 1)
    for each in readers {
      bench.catchUp(each)
      bench.expectCaughtUp(each)
    }
    #expect(bench.acknowledgements(readers[1]).map(\.id) == [MessageIdentifier(5)])
  }

  @Test("it goes on with beats if it lacks only what is new", arguments: WireEncoding.allCases)
  func briefly(encoding: WireEncoding) {
    var (bench, writer, reader) = stalled(encoding)
    for time in 1...5 { place(&bench, writer, 1, at: Double(time)) }
    bench.catchUp(reader)
    #expect(bench.room.counts.leaps == 0)
    #expect(bench.deliveries(reader).count == 5)
    bench.expectCaughtUp(reader)
  }

  @Test("an offer that was not taken is made again with newer values")
  func notTaken() {
    var (bench, writer, reader) = stalled(.binary)
    for time in 1...20 {
      place(&bench, writer, 1, at: Double(time))
      bench.pass(10)
      // The socket signals that it can take bytes, and then takes none.
      bench.wake(reader)
    }
    #expect(bench.room.kept.readerBytes == 0)
    bench.catchUp(reader)
    #expect(bench.deliveries(reader).count == 1)
    bench.expectCaughtUp(reader)
  }

  @Test("a frame that was taken in part is finished first, and only the rest is newer", arguments: [1, 7, 30, 200])
  func inPart(takes: Int) {
    var (bench, writer, reader) = stalled(.json)
    bench.clients[reader].takes = takes
    for time in 1...60 {
      place(&bench, writer, UInt64(time % 3 + 1), at: Double(time))
      bench.pass(10)
      bench.wake(reader)
    }
    bench.catchUp(reader)
    bench.expectCaughtUp(reader)
    // Each cursor is newer than the cursor before it, so nothing was sent twice or out of order.
    let positions = bench.deliveries(reader).map { bench.room.fold.place(of: $0.cursor) ?? 0 }
    #expect(zip(positions, positions.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test(
    "W4: the answers to its own writes come after what they speak of, and before anything newer",
    arguments: WireEncoding.allCases
  )
  func answers(encoding: WireEncoding) throws {
    var (bench, writer, reader) = stalled(encoding)
    var own: [Stamp] = []
    for number in 1...10 as ClosedRange<UInt64> {
      own.append(bench.write(reader, bench.shape(100 + number), id: number) { $0.kind = .star })
      for time in 1...3 { place(&bench, writer, 1, at: Double(time)) }
      bench.pass(20)
    }
    bench.catchUp(reader)
    #expect(bench.acknowledgements(reader).map(\.id) == (1...10).map { MessageIdentifier($0) })
    let operations = try #require(bench.clients[reader].messages[1].delivery, "the operations come first").operations
    // The newest operations must include those of the client itself (D4).
    for stamp in own { #expect(operations.contains { $0.at == stamp }) }
    bench.expectCaughtUp(reader)
  }

  @Test("R5: each digest that it asked for speaks of the place where it is", arguments: [1, 3])
  func digests(count: Int) {
    var (bench, writer, reader) = stalled(.binary)
    for time in 1...12 {
      place(&bench, writer, 1, at: Double(time))
      if time.isMultiple(of: 4), time / 4 <= count { bench.say(.digest, reader) }
      bench.pass(10)
    }
    bench.catchUp(reader)
    #expect(bench.room.counts.leaps == 1)
    #expect(bench.clients[reader].digests == count)
    #expect(bench.clients[reader].digestsThatDiffer == 0)
    #expect(bench.room.kept.readerBytes == 0, "no answer counts as waiting any more")
    bench.expectCaughtUp(reader)
  }

  @Test("R2, R3: it is told once of each who came, went or shows something, and of nobody who only passed by")
  func people() throws {
    var (bench, writer, reader) = stalled(.json)
    let leaver = bench.join { $0.name = "leaver" }
    bench.catchUp(reader)
    bench.clients[reader].takes = 0
    keepWelcome(&bench, reader)
    let comer = bench.join { $0.name = "comer" }
    let passer = bench.join { $0.name = "passer" }
    for time in 1...10 {
      for client in [comer, passer, writer] { bench.say(.presence(state(time)), client) }
      bench.pass(50)
      bench.settle()
    }
    let gone = bench.actor(leaver)
    bench.leave(leaver)
    bench.leave(passer)
    bench.settle()
    bench.catchUp(reader)
    #expect(bench.room.counts.leaps == 1)
    let messages = bench.clients[reader].messages
    #expect(messages.compactMap(\.left) == [gone])
    #expect(messages.compactMap { $0.joined?.actor } == [bench.actor(comer)])
    let states = bench.presences(reader)
    #expect(states.count == 1)
    #expect(Set(states.joined().map(\.actor)) == [bench.actor(comer), bench.actor(writer)])
    #expect(states.joined().allSatisfy { $0.state == state(10) })
    bench.expectCaughtUp(reader)
  }

  @Test("R3: somebody who left and came back is announced as that")
  func cameAgain() {
    var (bench, writer, reader) = stalled(.json)
    let other = bench.join { ($0.name, $0.key) = ("before", "") }
    let (actor, key) = (bench.actor(other), bench.key(other))
    bench.catchUp(reader)
    bench.clients[reader].takes = 0
    bench.leave(other)
    for time in 1...10 {
      place(&bench, writer, 1, at: Double(time))
      bench.pass(10)
    }
    bench.join { ($0.actor, $0.key, $0.name) = (actor, key, "after") }
    bench.pass(40)
    bench.settle()
    bench.catchUp(reader)
    #expect(bench.clients[reader].peers[actor]?.name == "after")
    bench.expectCaughtUp(reader)
  }

  @Test(
    "R6: it is told of overlaps that began or ended, and of none that came and went",
    arguments: WireEncoding.allCases
  )
  func overlaps(encoding: WireEncoding) {
    var (bench, writer, reader) = stalled(encoding, overlaps: true)
    func move(_ number: UInt64, to other: UInt64) {
      bench.settle(writer, number) { $0.position = Point(x: 0, y: Double(other) * 1_000) }
      bench.pass(10)
    }
    for _ in 1...5 {
      move(2, to: 1)
      move(2, to: 2)
    }
    move(3, to: 1)
    bench.catchUp(reader)
    #expect(bench.room.counts.leaps == 1)
    let told: [ShapePair] = bench.notices(reader).flatMap { $0.began + $0.ended }
    #expect(told.count == 1)
    #expect(bench.askOverlaps().map { Set($0.index.pairs) } == bench.clients[reader].pairs)
    bench.expectCaughtUp(reader)
  }

  @Test("R6: it is told that nothing overlaps, though overlaps have come and gone since then")
  func noOverlaps() {
    var (bench, writer) = RoomBench.withWriter()
    for number in 1...2 as ClosedRange<UInt64> { place(&bench, writer, number, at: 0) }
    var hello = Hello()
    hello.overlaps = true
    let reader = bench.connect(.json)
    bench.say(.hello(hello), reader)
    bench.send()
    bench.clients[reader].takes = 0
    bench.settle()
    for y in [1_000, 2_000, 1_000, 2_000] as [Double] {
      bench.settle(writer, 2) { $0.position = Point(x: 0, y: y) }
      bench.pass(10)
    }
    bench.catchUp(reader)
    #expect(bench.room.counts.leaps == 1)
    #expect(bench.notices(reader) == [OverlapNotice(began: [], ended: [])])
    bench.expectCaughtUp(reader)
  }

  @Test("beats that concern only itself leave nothing to tell")
  func nothing() throws {
    var (bench, _, reader) = stalled(.json)
    for time in 1...10 {
      bench.say(.presence(state(time)), reader)
      bench.pass(50)
      bench.settle()
    }
    bench.catchUp(reader)
    #expect(bench.clients[reader].messages.count == 1)
    bench.expectCaughtUp(reader)
  }

  @Test("D5: if it lacks thousands of values, it gets them as a state, once", arguments: WireEncoding.allCases)
  func thousands(encoding: WireEncoding) {
    var (bench, writer, reader) = stalled(encoding)
    for time in 1...2 {
      for number in 1...3_000 as ClosedRange<UInt64> {
        place(&bench, writer, 10 + number, at: Double(time), settles: number.isMultiple(of: 500))
      }
      bench.pass(10)
    }
    bench.catchUp(reader)
    #expect(bench.room.counts.leaps == 0)
    #expect(bench.deliveries(reader).flatMap(\.operations).count <= 3_003)
    bench.expectCaughtUp(reader)
  }

  @Test("R13: presence is sent in portions beside operations, longest wait first")
  func portions() throws {
    var (bench, writer, reader) = stalled(.json)
    let others = (0..<40).map { _ in bench.join() }
    bench.catchUp(reader)
    bench.clients[reader].takes = 0
    keepWelcome(&bench, reader)
    func show(_ time: Int) throws {
      let state = JSONText("{\"x\":\(time),\"rest\":\"\(String(repeating: "-", count: 70))\"}")
      for other in others { bench.say(.presence(state), other) }
      place(&bench, writer, 1, at: Double(time))
      bench.pass(500)
      bench.settle()
    }
    try show(1)
    try show(2)
    // The socket takes the operations, one chunk of presence, and part of the next chunk.
    bench.clients[reader].takes = 1_000
    for _ in 1...2 { bench.wake(reader) }
    let first = bench.presences(reader).joined().map(\.actor)
    #expect((5...20).contains(first.count))
    bench.clients[reader].takes = 0
    try show(3)
    // Presence that was offered, but not taken by the socket, has to be sent later.
    bench.wake(reader)
    try show(4)
    bench.clients[reader].messages = []
    bench.catchUp(reader)
    // The rest of the partly sent chunk comes first, then the new operations. People whose presence was sent before
    // come last.
    try #require(bench.clients[reader].messages.count > 3)
    #expect(bench.clients[reader].messages[1].delivery != nil, "what was drawn comes first")
    let rest = bench.presences(reader)
    for states in rest { #expect(states.count <= 20) }
    let before = first + rest[0].map(\.actor)
    let order = rest.dropFirst().joined().map(\.actor)
    #expect(Set(order).count == others.count && order.count == others.count)
    #expect(Set(order.suffix(before.count)) == Set(before))
    bench.expectCaughtUp(reader)
  }
}
